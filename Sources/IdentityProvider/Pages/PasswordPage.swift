import Pages

/// `/account/password`: the current password, and twice the new one.
struct PasswordPage: Sendable {
    enum Problem: Sendable {
        case wrong, different
        /// What the new password lacks (NIST SP 800-63B-4, 3.1.1.2).
        case short(minimum: Int), long, common, ofName
        case tooMany(seconds: Int)

        func text(_ language: Language) -> String {
            let own = language.own
            return switch self {
            case .wrong: own.password.wrong
            case .different: own.password.different
            case .short(let minimum): own.password.weak(minimum)
            case .long: own.password.long
            case .common: own.password.common
            case .ofName: own.password.ofName
            case .tooMany(let seconds): own.login.tooMany(language.strings.wait.text(seconds: seconds))
            }
        }
    }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let username: String, formToken: String, hint: String, minimum: Int
    let problem: String?, isCurrentBad: Bool, isNewBad: Bool, startsAtCurrent: Bool

    /// Posts to /account/password: current, new, again. `minimum`: the fewest characters that a new password may have.
    init(_ language: Language, username: String, formToken: String, problem: Problem? = nil, minimum: Int = 12) {
        (self.language, strings, own) = (language, language.strings, language.own)
        (self.username, self.formToken, self.minimum) = (username, formToken, minimum)
        hint = own.password.hint(minimum)
        self.problem = problem?.text(language)
        (isCurrentBad, isNewBad, startsAtCurrent) =
            switch problem {
            case .wrong: (true, false, true)
            case .different, .short, .long, .common, .ofName: (false, true, true)
            case .tooMany: (false, false, false)
            case nil: (false, false, true)
            }
    }

    var html: String {
        let title = problem == nil ? own.password.title : strings.frame.problem + " " + own.password.title
        return Layout.identityProvider.render("password", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.password.title}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        <form method="post" action="/account/password">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <label for="current">{{own.password.current}}</label>
        <input id="current" name="current" type="password" autocomplete="current-password" required\
        {{#isCurrentBad}} aria-invalid="true" aria-describedby="problem"{{/isCurrentBad}}{{#startsAtCurrent}} \
        autofocus{{/startsAtCurrent}}>
        <label for="new">{{own.password.new}}</label>
        <p class="hint" id="hint">{{hint}}</p>
        <input id="new" name="new" type="password" autocomplete="new-password" minlength="{{minimum}}" required\
        {{#isNewBad}} aria-invalid="true" aria-describedby="problem hint"{{/isNewBad}}{{^isNewBad}} \
        aria-describedby="hint"{{/isNewBad}}>
        <label for="again">{{own.password.again}}</label>
        <input id="again" name="again" type="password" autocomplete="new-password" required{{#isNewBad}} \
        aria-invalid="true" aria-describedby="problem"{{/isNewBad}}>
        <div class="choice">
        <button class="button">{{own.password.submit}}</button>
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>
        """
}
