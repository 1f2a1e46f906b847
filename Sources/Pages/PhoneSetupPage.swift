/// `/account/phones/add`, and `/account/phones/wait` once the phone has read the code: setting up a phone to log in with.
public struct PhoneSetupPage: Sendable {
    public enum Step: Sendable {
        /// Posts to /account/phones/add; `reference` goes back as hidden field `request`. `isNeeded`: the account asks for a phone.
        case begin(reference: String?, isNeeded: Bool)
        /// Posts to /account/phones/cancel with `attempt`; `events` is a path of this server.
        case confirm(attempt: String, events: String)
    }

    struct Beginning: Sendable { let reference: String?, isNeeded: Bool, steps: [String] }
    struct Confirmation: Sendable { let attempt: String, events: String? }

    let language: Language, words: Words
    let formToken: String, beginning: Beginning?, confirmation: Confirmation?
    private let title: String

    public init(_ language: Language, _ step: Step, formToken: String) {
        let words = language.words.phoneLogin.setup
        (self.language, self.words, self.formToken) = (language, language.words, formToken)
        switch step {
        case .begin(let reference, let isNeeded):
            (beginning, confirmation, title) = (Beginning(reference: reference, isNeeded: isNeeded, steps: words.steps), nil, words.title)
        case .confirm(let attempt, let events):
            (beginning, confirmation, title) = (nil, Confirmation(attempt: attempt, events: ShownText.ownLink(events)), words.confirmTitle)
        }
    }

    public var html: String { Layout.render("phoneSetup", title: title, language: language, door: true, watches: confirmation != nil, self) }

    static let template = """
        {{#beginning}}<h1>{{words.phoneLogin.setup.title}}</h1>
        <p class="lead">{{words.phoneLogin.setup.lead}}</p>
        {{#isNeeded}}<p class="note">{{words.phoneLogin.setup.needed}}</p>{{/isNeeded}}
        <ol class="steps">
        {{#steps}}<li>{{.}}</li>
        {{/steps}}</ol>
        <form method="post" action="/account/phones/add">
        <input type="hidden" name="form_token" value="{{formToken}}">
        {{#.reference}}<input type="hidden" name="request" value="{{.}}">{{/.reference}}
        <div class="choice">
        <button class="button">{{words.phoneLogin.setup.submit}}</button>
        <a class="button second" href="/account">{{words.password.cancel}}</a>
        </div>
        </form>{{/beginning}}
        {{#confirmation}}<h1>{{words.phoneLogin.setup.confirmTitle}}</h1>
        <p class="lead"{{#.events}} data-events="{{.}}"{{/.events}} role="status">{{words.phoneLogin.setup.confirmText}}</p>
        <p class="note warn">{{words.phoneLogin.setup.stranger}}</p>
        <form method="post" action="/account/phones/cancel">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button second">{{words.password.cancel}}</button>
        </form>{{/confirmation}}
        """
}
