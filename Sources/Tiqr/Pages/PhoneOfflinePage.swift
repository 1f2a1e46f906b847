import Pages

/// `/login/tiqr/wait?offline=1`: what an offline phone shows is typed here. It stays as it is, so that nothing eats
/// what somebody types.
struct PhoneOfflinePage: Sendable {
    enum Problem: Sendable, Equatable { case wrong(attemptsLeft: Int), malformed, unknown }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<TiqrStrings>
    let attempt: String, formToken: String, back: String, asksIdentity: Bool, identity: String
    let problem: String?, isIdentityBad: Bool, isPasswordBad: Bool, startsAtIdentity: Bool, startsAtPassword: Bool
    let asked: String?, others: OtherPhones?

    /// Posts to /login/tiqr/otp: attempt, otp, and identity where nobody is named. `back` leads to the code again.
    init(
        _ language: Language, attempt: String, formToken: String, back: String, asksIdentity: Bool,
        identity: String = "", problem: Problem? = nil,
        asked: LoginPhone? = nil, others: [PageLink] = []
    ) {
        let own = language.tiqr
        (self.language, strings, self.own) = (language, language.strings, own)
        (self.attempt, self.formToken) = (attempt, formToken)
        (self.back, self.asksIdentity, self.identity) = (Pages.ShownText.ownLink(back) ?? "/", asksIdentity, identity)
        self.problem = problem.map { problem in
            switch problem {
            case .wrong(let left): left == 1 ? own.offline.wrongLast : own.offline.wrong(left)
            case .malformed: own.offline.malformed
            case .unknown: own.offline.unknown
            }
        }
        let isIdentityMeant = asksIdentity && problem == .unknown
        (isIdentityBad, isPasswordBad) = (isIdentityMeant, problem != nil && !isIdentityMeant)
        startsAtIdentity = asksIdentity && (problem == nil || isIdentityMeant)
        startsAtPassword = !startsAtIdentity
        self.asked = others.isEmpty ? nil : asked?.label(language)
        self.others = OtherPhones(others)
    }

    var html: String {
        let title = problem == nil ? own.offline.title : strings.frame.problem + " " + own.offline.title
        return Layout.tiqr.render("phoneOffline", title: title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.offline.title}}</h1>
        <p class="lead">{{own.offline.lead}}</p>
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#asked}}<p class="quiet">{{strings.phone.asked}} <bdi>{{.}}</bdi></p>{{/asked}}
        <form method="post" action="/login/tiqr/otp">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        {{#asksIdentity}}<label for="identity">{{own.offline.identity}}</label>
        <p class="hint" id="hint">{{own.offline.identityHint}}</p>
        <input id="identity" name="identity" value="{{identity}}" autocomplete="off" autocapitalize="none" \
        spellcheck="false" maxlength="128" required\
        {{#isIdentityBad}} aria-invalid="true" aria-describedby="problem hint"{{/isIdentityBad}}{{^isIdentityBad}} \
        aria-describedby="hint"{{/isIdentityBad}}\
        {{#startsAtIdentity}} autofocus{{/startsAtIdentity}}>
        {{/asksIdentity}}<label for="otp">{{own.offline.password}}</label>
        <input class="code" id="otp" name="otp" autocomplete="one-time-code" inputmode="numeric" maxlength="20" \
        required\
        {{#isPasswordBad}} aria-invalid="true" aria-describedby="problem"{{/isPasswordBad}}{{#startsAtPassword}} \
        autofocus{{/startsAtPassword}}>
        <div class="choice">
        <button class="button">{{own.offline.submit}}</button>
        <a class="button second" href="{{back}}">{{own.offline.back}}</a>
        </div>
        </form>
        {{#others}}{{> phones}}{{/others}}
        """
}
