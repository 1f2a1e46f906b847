import Pages

/// `/login`: username and password, and the doors to other ways of logging in.
struct LoginPage: Sendable {
    enum Problem: Sendable, Equatable { case wrong, tooMany(seconds: Int), busy, expired }
    /// `again`: the person is known, and the application wants to be sure (`prompt=login`, `max_age`, step-up).
    enum Reason: Sendable { case first, again }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let client: ClientShown?, reference: String?, formToken: String, username: String, returnTo: String?
    let isAgain: Bool, problem: String?, isWrong: Bool
    /// Where the cursor is: where the person has to type next; nowhere when typing would not help now.
    let startsAtUsername: Bool, startsAtPassword: Bool
    let alternatives: [LoginAlternative], hasAlternatives: Bool, isAlone: Bool
    let credentials: PagePart?, forgotten: PageLink?
    /// What this browser remembers stands before the password; else nothing does.
    let isRemembered: Bool, favourite: LoginAlternative?, first: PagePart?, later: PagePart?

    /// `reference` goes back as hidden field `request`, `formToken` as `form_token`, `returnTo` as `return_to`. Posts
    /// to /login with username, password. `credentials` is the form that asks the browser for what it keeps; with it,
    /// the browser offers that where the username is typed, too. `favourite`, or else `credentials` where the page
    /// `startsWithCredentials`, is how somebody logged in last in this browser.
    init(
        _ language: Language, client: ClientShown?, reference: String?, formToken: String, username: String = "",
        reason: Reason = .first,
        problem: Problem? = nil, favourite: LoginAlternative? = nil, alternatives: [LoginAlternative] = [],
        credentials: PagePart? = nil, startsWithCredentials: Bool = false,
        returnTo: String? = nil, forgotten: PageLink? = nil
    ) {
        self.forgotten = forgotten
        let strings = language.strings, own = language.own
        (self.language, self.strings, self.own) = (language, strings, own)
        (self.client, self.reference, self.formToken, self.username, self.returnTo) = (
            client, reference, formToken, username, returnTo
        )
        isAgain = reason == .again && problem == nil
        isWrong = problem == .wrong
        self.problem = problem.map { problem in
            switch problem {
            case .wrong: own.login.wrong
            case .tooMany(let seconds): own.login.tooMany(strings.wait.text(seconds: seconds))
            case .busy: own.login.busy
            case .expired: own.login.expired
            }
        }
        let typingHelps = problem == nil || problem == .wrong || problem == .expired
        let isFirst = startsWithCredentials && favourite == nil && credentials != nil
        isRemembered = favourite != nil || isFirst
        (self.favourite, first, later) = (favourite, isFirst ? credentials : nil, isFirst ? nil : credentials)
        startsAtUsername = typingHelps && username.isEmpty && !isRemembered
        startsAtPassword = typingHelps && !username.isEmpty && (!isRemembered || isWrong)
        (self.alternatives, hasAlternatives, self.credentials) = (alternatives, !alternatives.isEmpty, credentials)
        isAlone = alternatives.isEmpty && later == nil
    }

    var html: String {
        let title = [
            problem.map { _ in strings.frame.problem + " " + own.login.title } ?? own.login.title, client?.name,
        ].compactMap(\.self).joined(separator: " · ")
        return Layout.identityProvider.render(
            "login", title: title, language: language, door: true, script: credentials?.script, self)
    }

    static let template = """
        <h1>{{own.login.title}}</h1>
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}
        {{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}
        {{#isAgain}}<p class="note">{{own.login.again}}</p>{{/isAgain}}
        {{#problem}}<p class="note bad" role="alert" id="problem">{{.}}</p>{{/problem}}
        {{#isRemembered}}<p class="quiet">{{own.login.remembered}}</p>
        {{#favourite}}<ul class="buttons"><li><a class="button" href="{{href}}"><bdi>{{label}}</bdi></a></li></ul>\
        {{/favourite}}{{#first}}{{{html}}}{{/first}}
        <p class="or"><span>{{strings.login.or}}</span></p>{{/isRemembered}}
        <form method="post" action="/login">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#reference}}<input type="hidden" name="request" value="{{.}}">{{/reference}}
        {{#returnTo}}<input type="hidden" name="return_to" value="{{.}}">{{/returnTo}}
        <label for="username">{{own.login.username}}</label>
        <input id="username" name="username" value="{{username}}" autocomplete="username{{#credentials}} \
        webauthn{{/credentials}}"\
         autocapitalize="none" spellcheck="false" maxlength="254" required\
        {{#isWrong}} aria-invalid="true" aria-describedby="problem"{{/isWrong}}{{#startsAtUsername}} \
        autofocus{{/startsAtUsername}}>
        <label for="password">{{own.login.password}}</label>
        <input id="password" name="password" type="password" autocomplete="current-password{{#credentials}} \
        webauthn{{/credentials}}" required\
        {{#isWrong}} aria-invalid="true" aria-describedby="problem"{{/isWrong}}{{#startsAtPassword}} \
        autofocus{{/startsAtPassword}}>
        <button class="button">{{own.login.submit}}</button>
        </form>
        {{#forgotten}}<p class="links"><a href="{{href}}">{{label}}</a></p>{{/forgotten}}
        {{^isAlone}}<p class="or"><span>{{strings.login.or}}</span></p>{{/isAlone}}
        {{#later}}{{{html}}}{{/later}}
        {{#hasAlternatives}}<ul class="buttons">
        {{#alternatives}}<li><a class="button second" href="{{href}}"><bdi>{{label}}</bdi></a></li>
        {{/alternatives}}</ul>{{/hasAlternatives}}
        """
}
