/// `/login/tiqr/wait?offline=1`: what an offline phone shows is typed here. It stays as it is, so that nothing eats what somebody types.
public struct PhoneOfflinePage: Sendable {
    public enum Problem: Sendable, Equatable { case wrong(attemptsLeft: Int), malformed, unknown }

    let language: Language, words: Words
    let attempt: String, formToken: String, back: String, asksIdentity: Bool, identity: String
    let problem: String?, isIdentityBad: Bool, isPasswordBad: Bool, startsAtIdentity: Bool, startsAtPassword: Bool
    let asked: String?, others: OtherPhones?

    /// Posts to /login/tiqr/otp: attempt, otp, and identity where nobody is named. `back` leads to the code again.
    public init(
        _ language: Language, attempt: String, formToken: String, back: String, asksIdentity: Bool, identity: String = "", problem: Problem? = nil,
        asked: LoginPhone? = nil, others: [(phone: LoginPhone, href: String)] = []
    ) {
        let words = language.words
        (self.language, self.words, self.attempt, self.formToken) = (language, words, attempt, formToken)
        (self.back, self.asksIdentity, self.identity) = (ShownText.ownLink(back) ?? "/", asksIdentity, identity)
        self.problem = problem.map { problem in
            switch problem {
            case .wrong(let left): left == 1 ? words.phoneLogin.offline.wrongLast : words.phoneLogin.offline.wrong(left)
            case .malformed: words.phoneLogin.offline.malformed
            case .unknown: words.phoneLogin.offline.unknown
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
        let title = problem == nil ? words.phoneLogin.offline.title : words.frame.problem + " " + words.phoneLogin.offline.title
        return Layout.render("phoneOffline", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.phoneLogin.offline.title}}</h1>
        <p class="lead">{{words.phoneLogin.offline.lead}}</p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#asked}}<p class="quiet">{{words.phoneLogin.asked}} <bdi>{{.}}</bdi></p>{{/asked}}
        <form method="post" action="/login/tiqr/otp">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        {{#asksIdentity}}<label for="identity">{{words.phoneLogin.offline.identity}}</label>
        <p class="hint" id="hint">{{words.phoneLogin.offline.identityHint}}</p>
        <input id="identity" name="identity" value="{{identity}}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="128" required\
        {{#isIdentityBad}} aria-invalid="true" aria-describedby="problem hint"{{/isIdentityBad}}{{^isIdentityBad}} aria-describedby="hint"{{/isIdentityBad}}\
        {{#startsAtIdentity}} autofocus{{/startsAtIdentity}}>
        {{/asksIdentity}}<label for="otp">{{words.phoneLogin.offline.password}}</label>
        <input class="code" id="otp" name="otp" autocomplete="one-time-code" inputmode="numeric" maxlength="20" required\
        {{#isPasswordBad}} aria-invalid="true" aria-describedby="problem"{{/isPasswordBad}}{{#startsAtPassword}} autofocus{{/startsAtPassword}}>
        <div class="choice">
        <button class="button">{{words.phoneLogin.offline.submit}}</button>
        <a class="button second" href="{{back}}">{{words.phoneLogin.offline.back}}</a>
        </div>
        </form>
        {{#others}}{{> phones}}{{/others}}
        """
}
