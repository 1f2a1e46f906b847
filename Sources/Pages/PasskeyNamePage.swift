/// `/account/passkeys/name`: what a passkey is called.
public struct PasskeyNamePage: Sendable {
    let language: Language, words: Words
    let id: String, name: String, formToken: String

    /// Posts to /account/passkeys/name: passkey, name.
    public init(_ language: Language, id: String, name: String, formToken: String) {
        (self.language, words, self.id, self.name, self.formToken) = (language, language.words, id, ShownText.tidy(name) ?? "", formToken)
    }

    public var html: String { Layout.render("passkeyName", title: words.passkey.rename.title, language: language, door: true, self) }

    static let template = """
        <h1>{{words.passkey.rename.title}}</h1>
        <p class="lead">{{words.passkey.rename.lead}}</p>
        <form method="post" action="/account/passkeys/name">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="passkey" value="{{id}}">
        <label for="name">{{words.passkey.newName}}</label>
        <input id="name" name="name" value="{{name}}" maxlength="100" autocomplete="off" required autofocus>
        <div class="choice">
        <button class="button">{{words.passkey.rename.submit}}</button>
        <a class="button second" href="/account">{{words.password.cancel}}</a>
        </div>
        </form>
        """
}
