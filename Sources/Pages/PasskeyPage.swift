/// `/login/passkey`: logging in with a passkey, without a name or as second factor; what went wrong, and the other ways.
public struct PasskeyPage: Sendable {
    let language: Language, strings: Strings
    let client: ClientShown?, problem: String?, passkey: PasskeyForm?, passkeySubmit: String, setUp: String?, doors: OtherDoors?, isOnly: Bool

    /// `form` is `nil` for a person who has no passkey; `setUp` is the path where they get one. `password` is the path of ours where one logs in otherwise. `isOnly`:
    /// the person has no other way, and reads who can help.
    public init(_ language: Language, client: ClientShown?, form: PasskeyForm?, problem: PasskeyProblem? = nil, setUp: String? = nil, password: String? = nil,
                alternatives: [LoginPage.Alternative] = [], isOnly: Bool = false) {
        (self.language, strings, self.client, passkey, passkeySubmit) = (language, language.strings, client, form, language.strings.passkey.submit)
        self.problem = problem?.text(language.strings)
        self.setUp = setUp.flatMap(ShownText.ownLink)
        doors = OtherDoors(password: password, alternatives)
        self.isOnly = isOnly
    }

    public var html: String {
        let heading = passkey == nil ? strings.passkey.none.title : strings.passkey.title
        let title = [problem.map { _ in strings.frame.problem + " " + heading } ?? heading, client?.name].compactMap(\.self).joined(separator: " · ")
        return Layout.render("passkeyLogin", title: title, language: language, door: true, passkeys: passkey != nil, self)
    }

    static let template = """
        {{#passkey}}<h1>{{strings.passkey.title}}</h1>{{/passkey}}{{^passkey}}<h1>{{strings.passkey.none.title}}</h1>{{/passkey}}
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}
        {{#problem}}<p class="note bad" role="alert">{{.}}</p>{{/problem}}
        {{#passkey}}<p>{{strings.passkey.lead}}</p>
        {{> passkey}}{{/passkey}}{{^passkey}}<p>{{strings.passkey.none.text}}</p>
        {{#setUp}}<ul class="buttons"><li><a class="button" href="{{.}}">{{strings.passkey.setUp}}</a></li></ul>{{/setUp}}{{/passkey}}
        {{#isOnly}}<p class="quiet">{{strings.passkey.lost}}</p>{{/isOnly}}
        {{#doors}}<p class="or"><span>{{strings.login.or}}</span></p>
        <ul class="buttons">{{> doors}}</ul>{{/doors}}
        """
}
