/// Setting up a phone to log in with: `/account/…/add` of its method, and `…/wait` once the phone has read the code.
public struct PhoneSetupPage: Sendable {
    /// How a method says it.
    public struct Texts: Sendable {
        let title: String, lead: String, needed: String, steps: [String], submit: String
        public let scanTitle: String, scanLead: String
        let confirmTitle: String, confirmText: String, stranger: String

        /// `needed`: why who must set one up does so. `steps` come before the first page's button, `submit`. `scan…` is
        /// for the `PhoneWaitPage` that follows, `confirm…` for after that, `stranger` for who did not scan the code.
        public init(
            title: String, lead: String, needed: String, steps: [String], submit: String, scanTitle: String,
            scanLead: String, confirmTitle: String, confirmText: String, stranger: String
        ) {
            (self.title, self.lead, self.needed, self.steps, self.submit) = (title, lead, needed, steps, submit)
            (self.scanTitle, self.scanLead, self.stranger) = (scanTitle, scanLead, stranger)
            (self.confirmTitle, self.confirmText) = (confirmTitle, confirmText)
        }
    }

    public enum Step: Sendable {
        /// Posts to `…/add`; `reference` goes back as hidden field `request`. `isNeeded`: the account asks for a phone.
        case begin(reference: String?, isNeeded: Bool)
        /// Posts to `…/cancel` with `attempt`; `events` is a path of this server.
        case confirm(attempt: String, events: String)
        /// The same, and by the button `same` to `…/confirm`: `digits` are what the phone shows too.
        case compare(attempt: String, digits: String, same: String, events: String)
    }

    /// What an app that is not made for this server alone must be told.
    public struct Configuration: Sendable {
        let title: String, lead: String, address: String, base: String, text: String, scan: CodeShown?

        /// `text` is scanned or typed; `address` stands before `base`.
        public init(title: String, lead: String, address: String, base: String, text: String) {
            (self.title, self.lead, self.address) = (title, lead, address)
            self.base = ShownText.tidy(base, limit: 512) ?? "?"
            (self.text, scan) = (ShownText.tidy(text, limit: 512) ?? "?", CodeShown(text))
        }
    }

    /// One of several apps that may be set up: a button of the first page, which posts `value` as `app`.
    public struct AppChoice: Sendable {
        let value: String, label: String

        public init(value: String, label: String) {
            (self.value, self.label) = (value, ShownText.tidy(label, limit: 80) ?? value)
        }
    }

    struct Beginning: Sendable {
        let reference: String?, isNeeded: Bool, steps: [String], choices: [AppChoice], isSingle: Bool
    }
    struct Confirmation: Sendable { let attempt: String, events: String?, digits: String?, same: String? }

    let language: Language, strings: SharedStrings<Strings>, setup: Texts, place: String, formToken: String
    let beginning: Beginning?, confirmation: Confirmation?, configuration: Configuration?
    let alternative: LoginAlternative?, instead: PageLink?
    private let title: String

    /// `place` is the path before `/add`. `alternative` leads to setting up a phone for another method, `instead` to
    /// setting up what is no phone; they and `configuration` stand on the first page only. `choices` stand in place of
    /// its one button.
    public init(
        _ language: Language, _ step: Step, _ texts: Texts, at place: String, formToken: String,
        configuration: Configuration? = nil, alternative: String? = nil, instead: PageLink? = nil,
        choices: [AppChoice] = []
    ) {
        (self.language, strings, setup) = (language, language.strings, texts)
        (self.place, self.formToken) = (place, formToken)
        if case .begin(let reference, let isNeeded) = step {
            beginning = Beginning(
                reference: reference, isNeeded: isNeeded, steps: texts.steps, choices: choices,
                isSingle: choices.isEmpty)
            (confirmation, title, self.configuration, self.instead) = (nil, texts.title, configuration, instead)
            self.alternative = alternative.map { .init(label: language.strings.phone.otherKind, href: $0) }
        } else {
            confirmation = PhoneSetupPage.confirmation(step)
            (beginning, title) = (nil, texts.confirmTitle)
            (self.configuration, self.alternative, self.instead) = (nil, nil, nil)
        }
    }

    private static func confirmation(_ step: Step) -> Confirmation? {
        switch step {
        case .begin: nil
        case .confirm(let attempt, let events):
            Confirmation(attempt: attempt, events: ShownText.ownLink(events), digits: nil, same: nil)
        case .compare(let attempt, let digits, let same, let events):
            Confirmation(attempt: attempt, events: ShownText.ownLink(events), digits: digits, same: same)
        }
    }

    public var html: String {
        Layout.pages.render(
            "phoneSetup", title: title, language: language, door: true, watches: confirmation != nil, self)
    }

    static let template = """
        {{#beginning}}<h1>{{setup.title}}</h1>
        <p class="lead">{{setup.lead}}</p>
        {{#isNeeded}}<p class="note">{{setup.needed}}</p>{{/isNeeded}}
        <ol class="steps">
        {{#steps}}<li>{{.}}</li>
        {{/steps}}</ol>{{#configuration}}
        <details><summary>{{title}}</summary>
        <p>{{lead}}</p>
        {{#scan}}{{> code}}{{/scan}}
        <p><code>{{text}}</code></p>
        <p class="quiet">{{address}} <code>{{base}}</code></p>
        </details>{{/configuration}}
        <form method="post" action="{{place}}/add">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#.reference}}<input type="hidden" name="request" value="{{.}}">{{/.reference}}
        <div class="choice">
        {{#isSingle}}<button class="button">{{setup.submit}}</button>{{/isSingle}}{{#choices}}
        <button class="button" name="app" value="{{value}}">{{label}}</button>{{/choices}}
        <a class="button second" href="/account">{{strings.frame.cancel}}</a>
        </div>
        </form>{{#alternative}}
        <ul class="plain"><li><a href="{{href}}">{{label}}</a></li></ul>{{/alternative}}{{#instead}}
        <ul class="plain"><li><a href="{{href}}">{{label}}</a></li></ul>{{/instead}}{{/beginning}}
        {{#confirmation}}<h1>{{setup.confirmTitle}}</h1>
        <p class="lead"{{#.events}} data-events="{{.}}"{{/.events}} role="status">{{setup.confirmText}}</p>{{#.digits}}
        <p class="code shown">{{.}}</p>{{/.digits}}
        <p class="note warn">{{setup.stranger}}</p>{{#.same}}
        <form method="post" action="{{place}}/confirm">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button">{{.}}</button>
        </form>{{/.same}}
        <form method="post" action="{{place}}/cancel">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button second">{{strings.frame.cancel}}</button>
        </form>{{/confirmation}}
        """
}
