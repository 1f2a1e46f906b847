/// `/account/password`: the current password, and twice the new one.
public struct PasswordPage: Sendable {
    public enum Problem: Sendable {
        case wrong, different
        /// What the new password lacks (NIST SP 800-63B-4, 3.1.1.2).
        case short(minimum: Int), long, common, ofName
        case tooMany(seconds: Int)

        public func text(_ language: Language) -> String {
            let words = language.words
            return switch self {
            case .wrong: words.password.wrong
            case .different: words.password.different
            case .short(let minimum): words.password.weak(minimum)
            case .long: words.password.long
            case .common: words.password.common
            case .ofName: words.password.ofName
            case .tooMany(let seconds): words.login.tooMany(words.wait.text(seconds: seconds))
            }
        }
    }

    let language: Language, words: Words
    let username: String, formToken: String, hint: String, minimum: Int
    let problem: String?, isCurrentBad: Bool, isNewBad: Bool, startsAtCurrent: Bool

    /// Posts to /account/password: current, new, again. `minimum`: the fewest characters that a new password may have.
    public init(_ language: Language, username: String, formToken: String, problem: Problem? = nil, minimum: Int = 12) {
        let words = language.words
        (self.language, self.words, self.username, self.formToken, self.minimum) = (language, words, username, formToken, minimum)
        hint = words.password.hint(minimum)
        self.problem = problem?.text(language)
        (isCurrentBad, isNewBad, startsAtCurrent) = switch problem {
        case .wrong: (true, false, true)
        case .different, .short, .long, .common, .ofName: (false, true, true)
        case .tooMany: (false, false, false)
        case nil: (false, false, true)
        }
    }

    public var html: String {
        let title = problem == nil ? words.password.title : words.frame.problem + " " + words.password.title
        return Layout.render("password", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.password.title}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/account/password">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <label for="current">{{words.password.current}}</label>
        <input id="current" name="current" type="password" autocomplete="current-password" required\
        {{#isCurrentBad}} aria-invalid="true" aria-describedby="problem"{{/isCurrentBad}}{{#startsAtCurrent}} autofocus{{/startsAtCurrent}}>
        <label for="new">{{words.password.new}}</label>
        <p class="hint" id="hint">{{hint}}</p>
        <input id="new" name="new" type="password" autocomplete="new-password" minlength="{{minimum}}" required\
        {{#isNewBad}} aria-invalid="true" aria-describedby="problem hint"{{/isNewBad}}{{^isNewBad}} aria-describedby="hint"{{/isNewBad}}>
        <label for="again">{{words.password.again}}</label>
        <input id="again" name="again" type="password" autocomplete="new-password" required{{#isNewBad}} aria-invalid="true" aria-describedby="problem"{{/isNewBad}}>
        <div class="choice">
        <button class="button">{{words.password.submit}}</button>
        <a class="button second" href="/account">{{words.password.cancel}}</a>
        </div>
        </form>
        """
}
