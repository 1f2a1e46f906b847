import Pages

/// `/login/without`: asks whether to go on without the second factor that an application wishes for.
struct WithoutLevelPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, words: WithoutLevelStrings
    let client: ClientShown, reference: String, formToken: String, back: String

    /// Posts to its own address with hidden request and form_token.
    init(_ language: Language, client: ClientShown, reference: String, formToken: String) {
        (self.language, strings, words) = (language, language.strings, language.withoutLevel)
        (self.client, self.reference, self.formToken) = (client, reference, formToken)
        back = ShownText.ownLink("/authorize?continue=\(reference)") ?? "/"
    }

    var html: String {
        Layout.identityProvider.render("withoutLevel", title: words.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{words.title}}</h1>
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}
        <p>{{words.text}}</p>
        <form method="post" action="/login/without">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="request" value="{{reference}}">
        <div class="choice">
        <button class="button">{{words.submit}}</button>
        <a class="button second" href="{{back}}">{{words.back}}</a>
        </div>
        </form>
        """
}
