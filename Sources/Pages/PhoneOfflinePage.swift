/// `/login/tiqr/wait?offline=1`: what an offline phone shows is typed here. It stays as it is, so that nothing eats what somebody types.
public struct PhoneOfflinePage: Sendable {
    public enum Problem: Sendable, Equatable { case wrong(attemptsLeft: Int), malformed, unknown }

    let language: Language, strings: Strings
    let attempt: String, formToken: String, back: String, asksIdentity: Bool, identity: String
    let problem: String?, isIdentityBad: Bool, isPasswordBad: Bool, startsAtIdentity: Bool, startsAtPassword: Bool
    let asked: String?, others: OtherPhones?

    /// Posts to /login/tiqr/otp: attempt, otp, and identity where nobody is named. `back` leads to the code again.
    public init(
        _ language: Language, attempt: String, formToken: String, back: String, asksIdentity: Bool, identity: String = "", problem: Problem? = nil,
        asked: LoginPhone? = nil, others: [(phone: LoginPhone, href: String)] = []
    ) {
        let strings = language.strings
        (self.language, self.strings, self.attempt, self.formToken) = (language, strings, attempt, formToken)
        (self.back, self.asksIdentity, self.identity) = (ShownText.ownLink(back) ?? "/", asksIdentity, identity)
        self.problem = problem.map { problem in
            switch problem {
            case .wrong(let left): left == 1 ? strings.phoneLogin.offline.wrongLast : strings.phoneLogin.offline.wrong(left)
            case .malformed: strings.phoneLogin.offline.malformed
            case .unknown: strings.phoneLogin.offline.unknown
            }
        }
        let isIdentityMeant = asksIdentity && problem == .unknown
        (isIdentityBad, isPasswordBad) = (isIdentityMeant, problem != nil && !isIdentityMeant)
        startsAtIdentity = asksIdentity && (problem == nil || isIdentityMeant)
        startsAtPassword = !startsAtIdentity
        self.asked = others.isEmpty ? nil : asked?.label(language)
        self.others = OtherPhones(others, language)
    }

    public var html: String {
        let title = problem == nil ? strings.phoneLogin.offline.title : strings.frame.problem + " " + strings.phoneLogin.offline.title
        return Layout.render("phoneOffline", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{strings.phoneLogin.offline.title}}</h1>
        <p class="lead">{{strings.phoneLogin.offline.lead}}</p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#asked}}<p class="quiet">{{strings.phoneLogin.asked}} <bdi>{{.}}</bdi></p>{{/asked}}
        <form method="post" action="/login/tiqr/otp">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        {{#asksIdentity}}<label for="identity">{{strings.phoneLogin.offline.identity}}</label>
        <p class="hint" id="hint">{{strings.phoneLogin.offline.identityHint}}</p>
        <input id="identity" name="identity" value="{{identity}}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="128" required\
        {{#isIdentityBad}} aria-invalid="true" aria-describedby="problem hint"{{/isIdentityBad}}{{^isIdentityBad}} aria-describedby="hint"{{/isIdentityBad}}\
        {{#startsAtIdentity}} autofocus{{/startsAtIdentity}}>
        {{/asksIdentity}}<label for="otp">{{strings.phoneLogin.offline.password}}</label>
        <input class="code" id="otp" name="otp" autocomplete="one-time-code" inputmode="numeric" maxlength="20" required\
        {{#isPasswordBad}} aria-invalid="true" aria-describedby="problem"{{/isPasswordBad}}{{#startsAtPassword}} autofocus{{/startsAtPassword}}>
        <div class="choice">
        <button class="button">{{strings.phoneLogin.offline.submit}}</button>
        <a class="button second" href="{{back}}">{{strings.phoneLogin.offline.back}}</a>
        </div>
        </form>
        {{#others}}{{> phones}}{{/others}}
        """
}
