/// `/logout`: asks before the session ends (OpenID Connect RP-Initiated Logout 1.0, section 2).
public struct LogoutPage: Sendable {
    struct Field: Sendable { let name: String, value: String }

    let language: Language, words: Words
    let client: ClientShown?, person: PersonShown, formToken: String
    let hidden: [Field]

    /// Posts to /logout with hidden form_token and the `hidden` pairs; the button is `decision`, "logout".
    public init(_ language: Language, client: ClientShown?, person: PersonShown, formToken: String, hidden: [(name: String, value: String)]) {
        (self.language, words, self.client, self.person, self.formToken) = (language, language.words, client, person, formToken)
        self.hidden = hidden.map { Field(name: $0.name, value: $0.value) }
    }

    public var html: String { Layout.render("logout", title: words.logout.title, language: language, door: true, self) }

    static let template = """
        <h1>{{words.logout.title}}</h1>
        {{#client}}<p class="lead">{{words.logout.asks.before}}<bdi class="strong">{{name}}</bdi>{{words.logout.asks.after}}</p>
        {{> host}}{{/client}}
        {{#person}}{{> person}}{{/person}}
        <p>{{words.logout.text}} {{words.logout.phones}}</p>
        <form method="post" action="/logout">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}<div class="choice">
        <button class="button" name="decision" value="logout">{{words.logout.submit}}</button>
        <a class="button second" href="/account">{{words.logout.stay}}</a>
        </div>
        </form>
        """
}
