import Pages

/// `/account/passkeys/add`: a new passkey. `/account/passkeys/link`: a wallet's, to log in with from now on.
struct PasskeySetupPage: Sendable {
    enum Step: Sendable { case add, link }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<PasskeyStrings>,
        task: PasskeyStrings.Task
    let isNeeded: Bool, problem: String?, passkey: PasskeyForm, wallets: String?, phone: String?

    /// `reference` goes back as hidden field `request`. `isNeeded`: the account asks for a passkey. `wallets` leads to
    /// linking one of those, `phone` to setting up a phone.
    init(
        _ language: Language, _ step: Step, formToken: String, reference: String? = nil, isNeeded: Bool = false,
        problem: PasskeyProblem? = nil,
        wallets: String? = nil, phone: String? = nil
    ) {
        (self.language, strings, own, self.isNeeded) = (language, language.strings, language.passkey, isNeeded)
        self.problem = problem?.text(own, isSetup: true)
        switch step {
        case .add:
            task = own.setup
            passkey = PasskeyForm(
                language, .create, action: "/account/passkeys/add", options: "/account/passkeys/add/options",
                submit: task.submit, formToken: formToken, reference: reference)
        case .link:
            task = own.link
            passkey = PasskeyForm(
                language, .get, action: "/account/passkeys/link", options: "/account/passkeys/link/options",
                submit: task.submit, formToken: formToken, reference: reference)
        }
        (self.wallets, self.phone) = (wallets.flatMap(ShownText.ownLink), phone.flatMap(ShownText.ownLink))
    }

    var html: String {
        let title = problem == nil ? task.title : strings.frame.problem + " " + task.title
        return Layout.passkeys.render(
            "passkeySetup", title: title, language: language, door: true, script: PasskeyScript.address, self)
    }

    static let template = """
        <h1>{{task.title}}</h1>
        <p class="lead">{{task.lead}}</p>
        {{#isNeeded}}<p class="note">{{own.needed}}</p>{{/isNeeded}}
        {{#problem}}<p class="note bad" role="alert">{{.}}</p>{{/problem}}
        {{#passkey}}{{> passkey}}{{/passkey}}
        <ul class="buttons"><li><a class="button second" href="/account">{{strings.frame.cancel}}</a></li></ul>
        {{#wallets}}<ul class="plain"><li><a href="{{.}}">{{own.link.title}}</a></li></ul>{{/wallets}}
        {{#phone}}<ul class="plain"><li><a href="{{.}}">{{own.instead}}</a></li></ul>{{/phone}}
        """
}
