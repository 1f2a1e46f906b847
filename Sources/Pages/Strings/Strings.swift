/// The words of one language that several targets say, and those of the pages here; what a product alone says it has
/// itself. A language that lacks one does not compile. Templates find all of them, as `strings.login.title`.
public struct Strings: Sendable {
    public let frame: Frame
    public let wait: Wait
    let login: Login
    public let account: Account
    public let phone: Phone
    let problem: Problem

    /// What several pages say.
    public struct Frame: Sendable {
        let motto: String
        public let problem: String
        let loggedInAs: String, startPage: String, yourAccount: String
        let website: String, policy: String, terms: String, cancel: String
        public let support: String
        let language: String
    }

    /// When to try again; each follows "please try again".
    public struct Wait: Sendable {
        let oneMinute: String, oneHour: String
        let minutes: @Sendable (Int) -> String, hours: @Sendable (Int) -> String

        /// Rounded up, so that nobody comes too early.
        public func text(seconds: Int) -> String {
            switch seconds {
            case ...60: oneMinute
            case ...3_540: minutes((seconds + 59) / 60)
            case ...3_600: oneHour
            default: hours((min(seconds, 8_640_000) + 3_599) / 3_600)
            }
        }
    }

    /// What every page says on which one can log in.
    struct Login: Sendable {
        let to: NamedSentence, toAccount: String, withPassword: String, or: String, withoutLevel: String
    }

    /// What the lists of the account page say, whoever makes them.
    public struct Account: Sendable {
        public struct Section: Sendable {
            public let title: String, lead: String, effect: String, none: String, button: String

            /// `lead` says what these are, `effect` what the button does, `none` what would stand here.
            public init(title: String, lead: String, effect: String, none: String, button: String) {
                (self.title, self.lead, self.effect) = (title, lead, effect)
                (self.none, self.button) = (none, button)
            }
        }

        public let phone: String, device: String, since: String, lastUsed: String, usedFor: String
        public let unknownBrowser: String
        let browserOn: @Sendable (_ browser: String, _ system: String) -> String
        let ended: String, undone: String
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
    private static let stringsTranslations = SharedStrings<Strings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    public var strings: SharedStrings<Strings> { Self.stringsTranslations[self] }
}

/// A sentence around one name, which the page sets apart: `"to continue to \(.name)"`.
public struct NamedSentence: Sendable, ExpressibleByStringInterpolation {
    public enum Slot { case name }

    public struct StringInterpolation: StringInterpolationProtocol {
        var before = "", after = "", isFilled = false

        public init(literalCapacity: Int, interpolationCount: Int) {}
        public mutating func appendLiteral(_ literal: String) {
            if isFilled { after += literal } else { before += literal }
        }
        public mutating func appendInterpolation(_ slot: Slot) { isFilled = true }
    }

    public let before: String, after: String

    public init(stringLiteral value: String) { (before, after) = (value, "") }
    public init(stringInterpolation value: StringInterpolation) { (before, after) = (value.before, value.after) }

    public func around(_ name: String) -> String { before + name + after }
}
