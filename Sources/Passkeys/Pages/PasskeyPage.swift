import Pages

/// `/login/passkey`: logging in with a passkey, without a name or as second factor; what went wrong, and the other
/// ways.
struct PasskeyPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<PasskeyStrings>
    let client: ClientShown?, problem: String?, passkey: PasskeyForm?, setUp: String?, doors: OtherDoors?, isOnly: Bool

    /// `form` is `nil` for a person who has no passkey; `setUp` is the path where they get one. `password` is the path
    /// of ours where one logs in otherwise. `isOnly`: the person has no other way, and reads who can help.
    init(
        _ language: Language, client: ClientShown?, form: PasskeyForm?, problem: PasskeyProblem? = nil,
        setUp: String? = nil, password: String? = nil,
        alternatives: [LoginAlternative] = [], isOnly: Bool = false
    ) {
        (self.language, strings, own) = (language, language.strings, language.passkey)
        (self.client, passkey) = (client, form)
        self.problem = problem?.text(own)
        self.setUp = setUp.flatMap(ShownText.ownLink)
        doors = OtherDoors(password: password, alternatives)
        self.isOnly = isOnly
    }

    var html: String {
        let heading = passkey == nil ? own.none.title : own.title
        let title = [problem.map { _ in strings.frame.problem + " " + heading } ?? heading, client?.name].compactMap(
            \.self
        ).joined(separator: " · ")
        let script = passkey.map { _ in PasskeyScript.address }
        return Layout.passkeys.render(
            "passkeyLogin", title: title, language: language, door: true, script: script, self)
    }

    static let template = """
        {{#passkey}}<h1>{{own.title}}</h1>{{/passkey}}{{^passkey}}<h1>{{own.none.title}}</h1>{{/passkey}}
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}
        {{#problem}}<p class="note bad" role="alert">{{.}}</p>{{/problem}}
        {{#passkey}}<p>{{own.lead}}</p>
        {{> passkey}}{{/passkey}}{{^passkey}}<p>{{own.none.text}}</p>
        {{#setUp}}<ul class="buttons"><li><a class="button" \
        href="{{.}}">{{own.setUp}}</a></li></ul>{{/setUp}}{{/passkey}}
        {{#isOnly}}<p class="quiet">{{own.lost}}</p>{{/isOnly}}
        {{#doors}}<p class="or"><span>{{strings.login.or}}</span></p>
        <ul class="buttons">{{> doors}}</ul>{{/doors}}
        """
}

extension Layout {
    static let passkeys = Layout([
        "passkey": PasskeyForm.template, "passkeyLogin": PasskeyPage.template,
        "passkeySetup": PasskeySetupPage.template, "passkeyName": PasskeyNamePage.template,
    ])
}
