/// `/logout`: asks before the session ends (OpenID Connect RP-Initiated Logout 1.0, section 2).
public struct LogoutPage: Sendable {
    struct Field: Sendable { let name: String, value: String }

    let language: Language, strings: Strings
    let client: ClientShown?, person: PersonShown, formToken: String
    let hidden: [Field]

    /// Posts to /logout with hidden form_token and the `hidden` pairs; the button is `decision`, "logout".
    public init(
        _ language: Language, client: ClientShown?, person: PersonShown, formToken: String,
        hidden: [(name: String, value: String)]
    ) {
        (self.language, strings, self.client, self.person, self.formToken) = (
            language, language.strings, client, person, formToken
        )
        self.hidden = hidden.map { Field(name: $0.name, value: $0.value) }
    }

    public var html: String {
        Layout.pages.render("logout", title: strings.logout.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{strings.logout.title}}</h1>
        {{#client}}<p class="lead">{{strings.logout.asks.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.logout.asks.after}}</p>
        {{> host}}{{/client}}
        {{#person}}{{> person}}{{/person}}
        <p>{{strings.logout.text}} {{strings.logout.phones}}</p>
        <form method="post" action="/logout">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}<div class="choice">
        <button class="button" name="decision" value="logout">{{strings.logout.submit}}</button>
        <a class="button second" href="/account">{{strings.logout.stay}}</a>
        </div>
        </form>
        """
}
