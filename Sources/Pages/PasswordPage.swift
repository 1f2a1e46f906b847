/// `/account/password`: the current password, and twice the new one.
public struct PasswordPage: Sendable {
    public enum Problem: Sendable {
        case wrong, different
        /// What the new password lacks (NIST SP 800-63B-4, 3.1.1.2).
        case short(minimum: Int), long, common, ofName
        case tooMany(seconds: Int)

        public func text(_ language: Language) -> String {
            let strings = language.strings
            return switch self {
            case .wrong: strings.password.wrong
            case .different: strings.password.different
            case .short(let minimum): strings.password.weak(minimum)
            case .long: strings.password.long
            case .common: strings.password.common
            case .ofName: strings.password.ofName
            case .tooMany(let seconds): strings.login.tooMany(strings.wait.text(seconds: seconds))
            }
        }
    }

    let language: Language, strings: Strings
    let username: String, formToken: String, hint: String, minimum: Int
    let problem: String?, isCurrentBad: Bool, isNewBad: Bool, startsAtCurrent: Bool

    /// Posts to /account/password: current, new, again. `minimum`: the fewest characters that a new password may have.
    public init(_ language: Language, username: String, formToken: String, problem: Problem? = nil, minimum: Int = 12) {
        let strings = language.strings
        (self.language, self.strings, self.username, self.formToken, self.minimum) = (
            language, strings, username, formToken, minimum
        )
        hint = strings.password.hint(minimum)
        self.problem = problem?.text(language)
        (isCurrentBad, isNewBad, startsAtCurrent) =
            switch problem {
            case .wrong: (true, false, true)
            case .different, .short, .long, .common, .ofName: (false, true, true)
            case .tooMany: (false, false, false)
            case nil: (false, false, true)
            }
    }

    public var html: String {
        let title = problem == nil ? strings.password.title : strings.frame.problem + " " + strings.password.title
        return Layout.pages.render("password", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{strings.password.title}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/account/password">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <label for="current">{{strings.password.current}}</label>
        <input id="current" name="current" type="password" autocomplete="current-password" required\
        {{#isCurrentBad}} aria-invalid="true" aria-describedby="problem"{{/isCurrentBad}}{{#startsAtCurrent}} \
        autofocus{{/startsAtCurrent}}>
        <label for="new">{{strings.password.new}}</label>
        <p class="hint" id="hint">{{hint}}</p>
        <input id="new" name="new" type="password" autocomplete="new-password" minlength="{{minimum}}" required\
        {{#isNewBad}} aria-invalid="true" aria-describedby="problem hint"{{/isNewBad}}{{^isNewBad}} \
        aria-describedby="hint"{{/isNewBad}}>
        <label for="again">{{strings.password.again}}</label>
        <input id="again" name="again" type="password" autocomplete="new-password" required{{#isNewBad}} \
        aria-invalid="true" aria-describedby="problem"{{/isNewBad}}>
        <div class="choice">
        <button class="button">{{strings.password.submit}}</button>
        <a class="button second" href="/account">{{strings.password.cancel}}</a>
        </div>
        </form>
        """
}
