/// The words of one language that several targets say, and those of the pages here; what a product alone says it has
/// itself. A language that lacks one does not compile. Templates find all of them, as `strings.login.title`.
public struct Strings: Sendable {
    public let frame: Frame
    let wait: Wait, scopes: Scopes, login: Login, consent: Consent, logout: Logout
    public let account: Account
    let password: Password, device: Device
    public let phone: Phone
    let problem: Problem

    /// What several pages say.
    public struct Frame: Sendable {
        let motto: String
        public let problem: String
        let loggedInAs: String, startPage: String, yourAccount: String
        let website: String, policy: String, terms: String
    }

    /// When to try again; each follows "please try again".
    struct Wait: Sendable {
        let oneMinute: String, oneHour: String
        let minutes: @Sendable (Int) -> String, hours: @Sendable (Int) -> String

        /// Rounded up, so that nobody comes too early.
        func text(seconds: Int) -> String {
            switch seconds {
            case ...60: oneMinute
            case ...3_540: minutes((seconds + 59) / 60)
            case ...3_600: oneHour
            default: hours((min(seconds, 8_640_000) + 3_599) / 3_600)
            }
        }
    }

    struct Scopes: Sendable {
        let openid: String, openidText: String, profile: String, email: String, offline: String, offlineText: String,
            otherText: String, none: String
    }

    struct Login: Sendable {
        let title: String, to: NamedSentence, toAccount: String, again: String
        let username: String, password: String, submit: String, withPassword: String, or: String
        let wrong: String, busy: String, expired: String
        let tooMany: @Sendable (String) -> String
    }

    struct Consent: Sendable {
        let title: NamedSentence, receives: String, withdrawal: String, allow: String, deny: String
    }

    struct Logout: Sendable {
        let title: String, asks: NamedSentence, text: String, phones: String, submit: String, stay: String
        let done: String, shared: String, back: NamedSentence, goOn: String, again: String
    }

    public struct Account: Sendable {
        public struct Section: Sendable {
            let title: String, lead: String, effect: String, none: String, button: String

            /// `lead` says what these are, `effect` what the button does, `none` what would stand here.
            public init(title: String, lead: String, effect: String, none: String, button: String) {
                (self.title, self.lead, self.effect) = (title, lead, effect)
                (self.none, self.button) = (none, button)
            }
        }

        let title: String, phones: Section, applications: Section, sessions: Section
        public let phone: String, device: String
        let system: String, app: String
        public let since: String, lastUsed: String
        let receives: String
        public let usedFor: String
        let thisBrowser: String
        public let unknownBrowser: String
        let browserOn: @Sendable (_ browser: String, _ system: String) -> String
        let disconnected: String, withdrawn: String, ended: String, passwordChanged: String
    }

    struct Password: Sendable {
        let title: String, current: String, new: String, again: String, submit: String, cancel: String, wrong: String,
            different: String
        let long: String, common: String, ofName: String
        let hint: @Sendable (Int) -> String, weak: @Sendable (Int) -> String
    }

    struct Device: Sendable {
        let title: String, lead: String, code: String, hint: String, submit: String, unknown: String
        let confirm: NamedSentence, compare: String, warning: String
        let allowed: String, allowedText: String, denied: String, deniedText: String
    }

    /// What pages say that wait for a phone or set one up, whatever the app on it is.
    public struct Phone: Sendable {
        let open: String, elsewhere: String, pushed: String, waiting: String, asked: String, others: String
        let otherKind: String, again: String, restart: String
        public let setUp: String, blocked: String
        let endings: Endings, added: String, removed: String, kept: String

        struct Endings: Sendable {
            let expired: Message, failed: Message, cancelled: Message, gone: Message, wrongPhone: Message
            let noPhone: Message, refused: Message, tooMany: Message
            let blockedTitle: String, blockedForGood: String
            let blocked: @Sendable (_ wait: String) -> String
        }
    }

    /// How something ended, and what to do next.
    public struct Message: Sendable, Equatable {
        public let title: String, text: String

        public init(title: String, text: String) { (self.title, self.text) = (title, text) }
    }

    struct Problem: Sendable {
        let badRequest: Message, expired: Message, forbidden: Message, unavailable: Message, notFound: Message,
            failed: Message
        let tooMany: String, forSupport: String
        let tooManyText: @Sendable (String) -> String
    }
}

extension Language {
    public var strings: Strings {
        switch self {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }
}

/// A sentence around one name, which the page sets apart: `"to continue to \(.name)"`.
struct NamedSentence: Sendable, ExpressibleByStringInterpolation {
    enum Slot { case name }

    struct StringInterpolation: StringInterpolationProtocol {
        var before = "", after = "", isFilled = false

        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) { if isFilled { after += literal } else { before += literal } }
        mutating func appendInterpolation(_ slot: Slot) { isFilled = true }
    }

    let before: String, after: String

    init(stringLiteral value: String) { (before, after) = (value, "") }
    init(stringInterpolation value: StringInterpolation) { (before, after) = (value.before, value.after) }

    func around(_ name: String) -> String { before + name + after }
}
