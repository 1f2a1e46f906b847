import Pages

/// `/login/wallet/wait` once a wallet has answered: which one it was. By the address a person knows their wallet, by
/// the device whether it was they who held it.
struct WalletConfirmPage: Sendable {
    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<WalletCodeStrings>
    let client: ClientShown?, address: String, device: String?, attempt: String, answer: String, formToken: String
    let action = WalletCodeRoutes.confirm

    /// `device` is as the wallet named it. Posts attempt, answer and decision, "allow" or "deny".
    init(
        _ language: Language, client: ClientShown?, address: String, device: String?, attempt: String, answer: String,
        formToken: String
    ) {
        (self.language, strings, own) = (language, language.strings, language.walletCode)
        (self.client, self.address) = (client, ShownText.tidy(address) ?? "?")
        self.device = device.flatMap { ShownText.tidy($0) }
        (self.attempt, self.answer, self.formToken) = (attempt, answer, formToken)
    }

    var html: String {
        Layout.walletCode.render(
            "confirm", title: [own.question, client?.name].compactMap(\.self).joined(separator: " · "),
            language: language, door: true, self)
    }

    static let template = """
        <h1>{{own.question}}</h1>
        {{#client}}<p class="lead">{{strings.login.to.before}}<bdi \
        class="strong">{{name}}</bdi>{{strings.login.to.after}}</p>
        {{> host}}{{/client}}{{^client}}<p class="lead">{{strings.login.toAccount}}</p>{{/client}}
        <dl class="facts">
        <div><dt>{{own.address}}</dt><dd><bdi>{{address}}</bdi></dd></div>
        {{#.device}}<div><dt>{{own.device}}</dt><dd><bdi>{{.}}</bdi></dd></div>{{/.device}}
        </dl>
        <p class="note warn">{{own.warning}}</p>
        <form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <input type="hidden" name="answer" value="{{answer}}">
        <div class="choice">
        <button class="button" name="decision" value="allow">{{own.confirm}}</button>
        <button class="button second" name="decision" value="deny">{{own.decline}}</button>
        </div>
        </form>
        """
}

extension Layout {
    static let walletCode = Layout(["confirm": WalletConfirmPage.template])
}
