/// How a login with a phone, or setting one up, can end otherwise than well; and what to do next.
public struct PhoneEndingPage: Sendable {
    public enum Ending: Sendable, Equatable {
        case expired, failed, cancelled, gone, wrongPhone, noPhone, refused, tooMany
        /// `nil`: until somebody ends the block.
        case blocked(seconds: Int?)
        /// What one method alone knows.
        case other(Strings.Message, reason: Reason?)
    }

    /// Why, as whoever ended it said: `text` stands behind `label`.
    public struct Reason: Sendable, Equatable {
        let label: String, text: String

        public init(label: String, text: String) { (self.label, self.text) = (label, text) }
    }

    public enum Next: Sendable {
        /// Posts `attempt` to this path: another code.
        case again(action: String, attempt: String, formToken: String)
        /// Begins anew at this path of ours; to set up a phone where there is none.
        case begin(String)
        case nothing
    }

    struct Again: Sendable { let action: String, attempt: String, formToken: String }
    struct Begin: Sendable { let href: String, label: String }

    let language: Language, strings: SharedStrings<Strings>
    let message: Strings.Message, reason: Reason?, again: Again?, begin: Begin?
    let others: OtherPhones?, doors: OtherDoors?

    /// `others` are phones of the person that can be asked, `password` is the path of ours where one logs in otherwise,
    /// `alternatives` are other methods.
    public init(
        _ language: Language, _ ending: Ending, next: Next = .nothing, others: [PageLink] = [], password: String? = nil,
        alternatives: [LoginAlternative] = []
    ) {
        let strings = language.strings
        (self.language, self.strings) = (language, strings)
        message = PhoneEndingPage.message(ending, strings)
        reason = if case .other(_, let reason) = ending { reason } else { nil }
        switch next {
        case .again(let action, let attempt, let formToken):
            (again, begin) = (Again(action: action, attempt: attempt, formToken: formToken), nil)
        case .begin(let href):
            let label = ending == .noPhone ? strings.phone.setUp : strings.phone.restart
            (again, begin) = (nil, Begin(href: ShownText.ownLink(href) ?? "/", label: label))
        case .nothing: (again, begin) = (nil, nil)
        }
        self.others = OtherPhones(others)
        doors = OtherDoors(password: password, alternatives)
    }

    private static func message(_ ending: Ending, _ strings: SharedStrings<Strings>) -> Strings.Message {
        let endings = strings.phone.endings
        switch ending {
        case .expired: return endings.expired
        case .failed: return endings.failed
        case .cancelled: return endings.cancelled
        case .gone: return endings.gone
        case .wrongPhone: return endings.wrongPhone
        case .noPhone: return endings.noPhone
        case .refused: return endings.refused
        case .tooMany: return endings.tooMany
        case .other(let message, _): return message
        case .blocked(let seconds):
            let text = seconds.map { endings.blocked(strings.wait.text(seconds: $0)) } ?? endings.blockedForGood
            return .init(title: endings.blockedTitle, text: text)
        }
    }

    public var html: String {
        Layout.pages.render("phoneEnding", title: message.title, language: language, door: true, self)
    }

    static let template = """
        <h1>{{message.title}}</h1>
        <p class="lead" role="status">{{message.text}}</p>{{#reason}}
        <p class="quiet">{{label}} <bdi>{{text}}</bdi></p>{{/reason}}
        {{#again}}<form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button">{{strings.phone.again}}</button>
        </form>{{/again}}
        <ul class="buttons">
        {{#begin}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/begin}}
        {{#doors}}{{> doors}}{{/doors}}
        <li><a class="button second" href="/account">{{strings.frame.yourAccount}}</a></li>
        </ul>
        {{#others}}{{> phones}}{{/others}}
        """
}
