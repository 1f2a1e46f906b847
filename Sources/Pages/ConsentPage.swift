/// `/consent`: who asks, for what, and what would be told.
public struct ConsentPage: Sendable {
    /// One scope with the values that would be told. What openid, profile, email and offline_access mean is said in words; any other is shown by its name.
    public struct Line: Sendable {
        let scope: String, values: [String]

        public init(scope: String, values: [String] = []) {
            self.scope = ShownText.tidy(scope) ?? "?"
            let shown = values.compactMap { ShownText.tidy($0, limit: 254) }
            // A given name that stands in the full name is not said again.
            self.values = shown.filter { value in !shown.contains { $0 != value && " \($0) ".contains(" \(value) ") } }
        }
    }

    let language: Language, words: Words
    let client: ClientShown, person: PersonShown, scopes: ScopesShown, reference: String, formToken: String, action: String

    /// Posts to `action` with hidden request and form_token; the button that was pressed is `decision`, "allow" or "deny".
    public init(_ language: Language, client: ClientShown, person: PersonShown, lines: [Line], reference: String, formToken: String, action: String = "/consent") {
        (self.language, words, self.client, self.person) = (language, language.words, client, person)
        scopes = ScopesShown(lines, language.words.scopes)
        (self.reference, self.formToken, self.action) = (reference, formToken, action)
    }

    public var html: String { Layout.render("consent", title: words.consent.title.around(client.name), language: language, door: true, self) }

    static let template = """
        {{#client}}<h1>{{words.consent.title.before}}<bdi>{{name}}</bdi>{{words.consent.title.after}}</h1>
        {{> host}}{{/client}}
        {{#person}}{{> person}}{{/person}}
        <h2>{{words.consent.receives}}</h2>
        {{#scopes}}{{> scopes}}{{/scopes}}
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="request" value="{{reference}}">
        <div class="choice">
        <button class="button" name="decision" value="allow">{{words.consent.allow}}</button>
        <button class="button second" name="decision" value="deny">{{words.consent.deny}}</button>
        </div>
        </form>
        <p class="quiet">{{words.consent.withdrawal}}</p>
        {{#client}}{{> links}}{{/client}}
        """
}
