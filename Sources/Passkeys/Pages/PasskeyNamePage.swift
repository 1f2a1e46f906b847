import Pages

/// `/account/passkeys/name`: what a passkey is called.
struct PasskeyNamePage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<PasskeyStrings>
    let id: String, name: String, formToken: String

    /// Posts to /account/passkeys/name: passkey, name.
    init(_ language: Language, id: String, name: String, formToken: String) {
        (self.language, strings, own) = (language, language.strings, language.passkey)
        (self.id, self.name, self.formToken) = (id, ShownText.tidy(name) ?? "", formToken)
    }

    var html: String {
        Layout.passkeys.render("passkeyName", title: own.rename.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.rename.title}}</h1>
        <p class="lead">{{own.rename.lead}}</p>
        <form method="post" action="/account/passkeys/name">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="passkey" value="{{id}}">
        <label for="name">{{own.newName}}</label>
        <input id="name" name="name" value="{{name}}" maxlength="100" autocomplete="off" required autofocus>
        <div class="choice">
        <button class="button">{{own.rename.submit}}</button>
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>
        """
}
