import Pages

/// `/device`: the person's side of the device flow (RFC 8628, 3.3), and its warnings (5.4). No host is shown: nothing
/// is sent to one.
struct DevicePage: Sendable {
    /// `code` as the device shows it: BCDF-GHJK.
    enum Step: Sendable {
        case enter(code: String, isUnknown: Bool)
        case confirm(client: ClientShown, code: String, lines: [ConsentPage.Line])
        case allowed, denied
    }

    struct Entry: Sendable { let code: String, isUnknown: Bool }
    struct Confirmation: Sendable { let shownCode: String, spelled: String, decision: DecisionShown }
    struct Outcome: Sendable { let title: String, text: String }

    let language: Language, strings: SharedStrings<Strings>, own: SharedStrings<IdentityProviderStrings>
    let person: PersonShown?
    let entry: Entry?, confirmation: Confirmation?, outcome: Outcome?
    private let title: String

    /// enter: GET form to /device with user_code. confirm: POST /device with hidden user_code and form_token; the
    /// button is `decision`, "allow" or "deny".
    init(_ language: Language, _ step: Step, person: PersonShown?, formToken: String = "") {
        let device = language.own.device
        (self.language, strings, own, self.person) = (language, language.strings, language.own, person)
        switch step {
        case .enter(let code, let isUnknown):
            (entry, confirmation, outcome) = (Entry(code: code, isUnknown: isUnknown), nil, nil)
            title = isUnknown ? language.strings.frame.problem + " " + device.title : device.title
        case .confirm(let client, let code, let lines):
            let shown = ShownText.tidy(code, limit: 40) ?? "?"
            let spelled = shown.map { $0 == "-" ? "," : " \($0)" }.joined()
            (entry, outcome) = (nil, nil)
            let decision = DecisionShown(
                client: client, person: person, scopes: ScopesShown(lines, language.own.scopes), services: nil,
                action: "/device",
                formToken: formToken,
                field: "user_code", value: code)
            confirmation = Confirmation(shownCode: shown, spelled: spelled, decision: decision)
            title = device.confirm.around(client.name)
        case .allowed:
            (entry, confirmation, outcome, title) = (
                nil, nil, Outcome(title: device.allowed, text: device.allowedText), device.allowed
            )
        case .denied:
            (entry, confirmation, outcome, title) = (
                nil, nil, Outcome(title: device.denied, text: device.deniedText), device.denied
            )
        }
    }

    var html: String { Layout.identityProvider.render("device", title: title, language: language, door: true, self) }

    static let template = """
        {{#entry}}
        <h1>{{own.device.title}}</h1>
        <p class="lead">{{own.device.lead}}</p>
        {{#isUnknown}}<p class="note bad" role="alert" id="problem">{{own.device.unknown}}</p>{{/isUnknown}}
        {{#person}}{{> person}}{{/person}}
        <form method="get" action="/device">
        <label for="user_code">{{own.device.code}}</label>
        <p class="hint" id="hint">{{own.device.hint}}</p>
        <input class="code" id="user_code" name="user_code" value="{{code}}" autocomplete="off" \
        autocapitalize="characters" spellcheck="false" \
        maxlength="40" required autofocus{{#isUnknown}} aria-invalid="true" aria-describedby="problem \
        hint"{{/isUnknown}}{{^isUnknown}} aria-describedby="hint"{{/isUnknown}}>
        <button class="button">{{own.device.submit}}</button>
        </form>
        {{/entry}}
        {{#confirmation}}{{#decision}}
        {{#client}}<h1>{{own.device.confirm.before}}<bdi>{{name}}</bdi>{{own.device.confirm.after}}</h1>{{/c\
        lient}}
        <p>{{own.device.compare}}</p>
        <p class="code shown"><span aria-hidden="true">{{shownCode}}</span><span class="unseen">{{spelled}}</span></p>
        <p class="note warn">{{own.device.warning}}</p>
        {{> decision}}
        {{/decision}}{{/confirmation}}
        {{#outcome}}
        <h1>{{title}}</h1>
        <p class="lead">{{text}}</p>
        <ul class="buttons"><li><a class="button second" href="/account">{{strings.frame.yourAccount}}</a></li></ul>
        {{/outcome}}
        """
}
