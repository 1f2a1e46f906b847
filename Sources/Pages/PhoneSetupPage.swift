/// `/account/phones/add`, `/account/approvals/add`, and `…/wait` once the phone has read the code: setting up a phone to log in with.
public struct PhoneSetupPage: Sendable {
    public enum Step: Sendable {
        /// Posts to `…/add`; `reference` goes back as hidden field `request`. `isNeeded`: the account asks for a phone.
        case begin(reference: String?, isNeeded: Bool)
        /// Posts to `…/cancel` with `attempt`; `events` is a path of this server.
        case confirm(attempt: String, events: String)
        /// The same, and to `…/confirm`: eight digits, which the phone shows too.
        case compare(attempt: String, fingerprint: String, events: String)
    }

    /// What an app that is not made for this server alone must be told.
    public struct Configuration: Sendable {
        let base: String, text: String, scan: CodeShown?

        public init(base: String, text: String) {
            (self.base, self.text, scan) = (ShownText.tidy(base, limit: 512) ?? "?", ShownText.tidy(text, limit: 512) ?? "?", CodeShown(text))
        }
    }

    struct Beginning: Sendable { let reference: String?, isNeeded: Bool, steps: [String] }
    struct Confirmation: Sendable { let attempt: String, events: String?, digits: String? }

    let language: Language, strings: Strings, setup: Strings.PhoneLogin.Setup, place: String
    let formToken: String, beginning: Beginning?, confirmation: Confirmation?, configuration: Configuration?, alternative: LoginPage.Alternative?, passkey: String?
    private let title: String

    /// `alternative` leads to setting up a phone for another method, `passkey` to setting up one of those; they and `configuration` stand on the first page only.
    public init(_ language: Language, _ step: Step, by method: PhoneMethod = .scanning, formToken: String, configuration: Configuration? = nil,
                alternative: String? = nil, passkey: String? = nil) {
        let setup = method.setup(language.strings)
        (self.language, strings, self.setup, place, self.formToken) = (language, language.strings, setup, method.account, formToken)
        switch step {
        case .begin(let reference, let isNeeded):
            (beginning, confirmation, title) = (Beginning(reference: reference, isNeeded: isNeeded, steps: setup.steps), nil, setup.title)
            self.configuration = configuration
            self.alternative = alternative.map { LoginPage.Alternative(label: language.strings.approval.otherwise, href: $0) }
            self.passkey = passkey.flatMap(ShownText.ownLink)
        case .confirm(let attempt, let events):
            (beginning, confirmation, title) = (nil, Confirmation(attempt: attempt, events: ShownText.ownLink(events), digits: nil), setup.confirmTitle)
            (self.configuration, self.alternative, self.passkey) = (nil, nil, nil)
        case .compare(let attempt, let fingerprint, let events):
            let digits = ApprovingPhone.grouped(fingerprint)
            (beginning, confirmation, title) = (nil, Confirmation(attempt: attempt, events: ShownText.ownLink(events), digits: digits), setup.confirmTitle)
            (self.configuration, self.alternative, self.passkey) = (nil, nil, nil)
        }
    }

    public var html: String { Layout.render("phoneSetup", title: title, language: language, door: true, watches: confirmation != nil, self) }

    static let template = """
        {{#beginning}}<h1>{{setup.title}}</h1>
        <p class="lead">{{setup.lead}}</p>
        {{#isNeeded}}<p class="note">{{setup.needed}}</p>{{/isNeeded}}
        <ol class="steps">
        {{#steps}}<li>{{.}}</li>
        {{/steps}}</ol>{{#configuration}}
        <details><summary>{{strings.approval.configuration}}</summary>
        <p>{{strings.approval.configurationText}}</p>
        {{#scan}}{{> code}}{{/scan}}
        <p><code>{{text}}</code></p>
        <p class="quiet">{{strings.approval.address}} <code>{{base}}</code></p>
        </details>{{/configuration}}
        <form method="post" action="{{place}}/add">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#.reference}}<input type="hidden" name="request" value="{{.}}">{{/.reference}}
        <div class="choice">
        <button class="button">{{setup.submit}}</button>
        <a class="button second" href="/account">{{strings.password.cancel}}</a>
        </div>
        </form>{{#alternative}}
        <ul class="plain"><li><a href="{{href}}">{{label}}</a></li></ul>{{/alternative}}{{#passkey}}
        <ul class="plain"><li><a href="{{.}}">{{strings.passkey.passkeyInstead}}</a></li></ul>{{/passkey}}{{/beginning}}
        {{#confirmation}}<h1>{{setup.confirmTitle}}</h1>
        <p class="lead"{{#.events}} data-events="{{.}}"{{/.events}} role="status">{{setup.confirmText}}</p>{{#.digits}}
        <p class="code shown">{{.}}</p>{{/.digits}}
        <p class="note warn">{{setup.stranger}}</p>{{#.digits}}
        <form method="post" action="{{place}}/confirm">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button">{{strings.approval.same}}</button>
        </form>{{/.digits}}
        <form method="post" action="{{place}}/cancel">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button second">{{strings.password.cancel}}</button>
        </form>{{/confirmation}}
        """
}
