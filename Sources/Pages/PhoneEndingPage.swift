/// How a login with a phone, or setting one up, can end otherwise than well; and what to do next.
public struct PhoneEndingPage: Sendable {
    public enum Ending: Sendable, Equatable {
        case expired, failed, cancelled, gone, wrongPhone, noPhone, refused, tooMany
        /// `nil`: until somebody ends the block.
        case blocked(seconds: Int?)
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

    let language: Language, words: Words
    let message: Words.Problem.Message, again: Again?, begin: Begin?, others: OtherPhones?, password: String?

    /// `password` is the path of ours where one logs in otherwise.
    public init(_ language: Language, _ ending: Ending, next: Next = .nothing, others: [(phone: LoginPhone, href: String)] = [], password: String? = nil) {
        let words = language.words, endings = words.phoneLogin.endings
        (self.language, self.words) = (language, words)
        message = switch ending {
        case .expired: endings.expired
        case .failed: endings.failed
        case .cancelled: endings.cancelled
        case .gone: endings.gone
        case .wrongPhone: endings.wrongPhone
        case .noPhone: endings.noPhone
        case .refused: endings.refused
        case .tooMany: endings.tooMany
        case .blocked(let seconds): .init(title: endings.blockedTitle, text: seconds.map { endings.blocked(words.wait.text(seconds: $0)) } ?? endings.blockedForGood)
        }
        switch next {
        case .again(let action, let attempt, let formToken): (again, begin) = (Again(action: action, attempt: attempt, formToken: formToken), nil)
        case .begin(let href):
            (again, begin) = (nil, Begin(href: ShownText.ownLink(href) ?? "/", label: ending == .noPhone ? words.phoneLogin.setUp : words.phoneLogin.restart))
        case .nothing: (again, begin) = (nil, nil)
        }
        self.others = OtherPhones(others, language)
        self.password = password.flatMap(ShownText.ownLink)
    }

    public var html: String { Layout.render("phoneEnding", title: message.title, language: language, door: true, self) }

    static let template = """
        <h1>{{message.title}}</h1>
        <p class="lead" role="status">{{message.text}}</p>
        {{#again}}<form method="post" action="{{action}}">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="attempt" value="{{attempt}}">
        <button class="button">{{words.phoneLogin.again}}</button>
        </form>{{/again}}
        <ul class="buttons">
        {{#begin}}<li><a class="button" href="{{href}}">{{label}}</a></li>{{/begin}}
        {{#password}}<li><a class="button second" href="{{.}}">{{words.phoneLogin.password}}</a></li>{{/password}}
        <li><a class="button second" href="/account">{{words.frame.yourAccount}}</a></li>
        </ul>
        {{#others}}{{> phones}}{{/others}}
        """
}
