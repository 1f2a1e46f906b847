import Pages

/// `/logout`: asks before the session ends (OpenID Connect RP-Initiated Logout 1.0, section 2).
struct LogoutPage: Sendable {
    struct Field: Sendable { let name: String, value: String }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let client: ClientShown?, person: PersonShown, formToken: String
    let hidden: [Field]

    /// Posts to /logout with hidden form_token and the `hidden` pairs; the button is `decision`, "logout".
    init(
        _ language: Language, client: ClientShown?, person: PersonShown, formToken: String,
        hidden: [(name: String, value: String)]
    ) {
        (self.language, strings, own) = (language, language.strings, language.own)
        (self.client, self.person, self.formToken) = (client, person, formToken)
        self.hidden = hidden.map { Field(name: $0.name, value: $0.value) }
    }

    var html: String {
        Layout.identityProvider.render("logout", title: own.logout.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.logout.title}}</h1>
        {{#client}}<p class="lead">{{own.logout.asks.before}}<bdi \
        class="strong">{{name}}</bdi>{{own.logout.asks.after}}</p>
        {{> host}}{{/client}}
        {{#person}}{{> person}}{{/person}}
        <p>{{own.logout.text}} {{own.logout.phones}}</p>
        <form method="post" action="/logout">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">
        {{/hidden}}<div class="choice">
        <button class="button" name="decision" value="logout">{{own.logout.submit}}</button>
        <a class="button second" href="/account">{{own.logout.stay}}</a>
        </div>
        </form>
        """
}
