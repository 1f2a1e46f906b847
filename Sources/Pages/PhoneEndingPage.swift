/// How a login with a phone, or setting one up, can end otherwise than well; and what to do next.
public struct PhoneEndingPage: Sendable {
    public enum Ending: Sendable, Equatable {
        case expired, failed, cancelled, gone, wrongPhone, noPhone, refused, tooMany
        /// `nil`: until somebody ends the block.
        case blocked(seconds: Int?)
        /// With the phone's word for why, or whatever else it wrote there.
        case rejected(reason: String?)
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

    let language: Language, strings: Strings
    let message: Strings.Problem.Message, reason: String?, again: Again?, begin: Begin?, others: OtherPhones?, doors: OtherDoors?

    /// `password` is the path of ours where one logs in otherwise, `alternatives` are other methods.
    public init(_ language: Language, _ ending: Ending, next: Next = .nothing, others: [(phone: LoginPhone, href: String)] = [], password: String? = nil,
                alternatives: [LoginPage.Alternative] = []) {
        let strings = language.strings, endings = strings.phoneLogin.endings
        (self.language, self.strings) = (language, strings)
        message = switch ending {
        case .expired: endings.expired
        case .failed: endings.failed
        case .cancelled: endings.cancelled
        case .gone: endings.gone
        case .wrongPhone: endings.wrongPhone
        case .noPhone: endings.noPhone
        case .refused: endings.refused
        case .tooMany: endings.tooMany
        case .rejected: strings.approval.rejected
        case .blocked(let seconds): .init(title: endings.blockedTitle, text: seconds.map { endings.blocked(strings.wait.text(seconds: $0)) } ?? endings.blockedForGood)
        }
        reason = PhoneEndingPage.reason(ending, strings)
        switch next {
        case .again(let action, let attempt, let formToken): (again, begin) = (Again(action: action, attempt: attempt, formToken: formToken), nil)
        case .begin(let href):
            (again, begin) = (nil, Begin(href: ShownText.ownLink(href) ?? "/", label: ending == .noPhone ? strings.phoneLogin.setUp : strings.phoneLogin.restart))
        case .nothing: (again, begin) = (nil, nil)
        }
        self.others = OtherPhones(others, language)
        doors = OtherDoors(password: password, alternatives)
    }

    /// The words of the SDK's own reasons (protocols/operations.md, 1.2); what an app wrote itself is shown as it is, and `UNKNOWN` says nothing.
    private static func reason(_ ending: Ending, _ strings: Strings) -> String? {
        guard case .rejected(let reason?) = ending else { return nil }
        return switch reason {
        case "UNKNOWN", "PREAPPROVAL": nil
        case "UNEXPECTED_OPERATION": strings.approval.unexpected
        case "INCORRECT_DATA": strings.approval.incorrect
        default: ShownText.tidy(reason)
        }
    }

    public var html: String { Layout.render("phoneEnding", title: message.title, language: language, door: true, self) }

    static let template = """
        <h1>{{message.title}}</h1>
        <p class="lead" role="status">{{message.text}}</p>{{#reason}}
        <p class="quiet">{{strings.approval.reason}} <bdi>{{.}}</bdi></p>{{/reason}}
        {{#again}}<form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button">{{strings.phoneLogin.again}}</button>
        </form>{{/again}}
        <ul class="buttons">
        {{#begin}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/begin}}
        {{#doors}}{{> doors}}{{/doors}}
        <li><a class="button second" href="/account">{{strings.frame.yourAccount}}</a></li>
        </ul>
        {{#others}}{{> phones}}{{/others}}
        """
}
