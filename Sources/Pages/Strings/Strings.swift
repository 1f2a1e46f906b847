/// All words of one language. A language that lacks one does not compile.
struct Strings: Sendable {
    let frame: Frame, wait: Wait, scopes: Scopes, login: Login, consent: Consent, logout: Logout, account: Account, password: Password, device: Device
    let landing: Landing, phoneLogin: PhoneLogin, approval: Approval, passkey: Passkey, problem: Problem

    /// What several pages say.
    struct Frame: Sendable {
        let motto: String, problem: String, loggedInAs: String, startPage: String, yourAccount: String
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
        let openid: String, openidText: String, profile: String, email: String, offline: String, offlineText: String, otherText: String, none: String
    }

    struct Login: Sendable {
        let title: String, to: NamedSentence, toAccount: String, again: String
        let username: String, password: String, submit: String, or: String
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

    struct Account: Sendable {
        struct Section: Sendable { let title: String, lead: String, effect: String, none: String, button: String }

        let title: String, phones: Section, applications: Section, sessions: Section
        let phone: String, device: String, system: String, app: String, since: String, lastUsed: String, receives: String, usedFor: String
        let thisBrowser: String, unknownBrowser: String
        let browserOn: @Sendable (_ browser: String, _ system: String) -> String
        let disconnected: String, withdrawn: String, ended: String, passwordChanged: String
    }

    struct Password: Sendable {
        let title: String, current: String, new: String, again: String, submit: String, cancel: String, wrong: String, different: String
        let long: String, common: String, ofName: String
        let hint: @Sendable (Int) -> String, weak: @Sendable (Int) -> String
    }

    struct Device: Sendable {
        let title: String, lead: String, code: String, hint: String, submit: String, unknown: String
        let confirm: NamedSentence, compare: String, warning: String
        let allowed: String, allowedText: String, denied: String, deniedText: String
    }

    /// Where a phone's link leads that no app has caught.
    struct Landing: Sendable {
        struct Purpose: Sendable { let title: String, lead: String, warning: String? }

        let enrollment: Purpose, authentication: Purpose, open: String, otherwise: String, scan: String
    }

    /// Logging in with a phone, what can become of it, and setting one up.
    struct PhoneLogin: Sendable {
        let button: String, title: String, lead: String, pushed: String, waiting: String, offlineLink: String
        let asked: String, others: String, password: String, again: String, restart: String, setUp: String
        let phone: @Sendable (_ day: String, _ id: String) -> String
        let offline: Offline, setup: Setup, first: First, endings: Endings, account: Account

        struct Offline: Sendable {
            let title: String, lead: String, identity: String, identityHint: String, password: String, submit: String, back: String
            let wrongLast: String, malformed: String, unknown: String
            let wrong: @Sendable (_ attemptsLeft: Int) -> String
        }

        struct Setup: Sendable {
            let title: String, lead: String, needed: String, steps: [String], submit: String, scanTitle: String, scanLead: String
            let confirmTitle: String, confirmText: String, stranger: String
        }

        struct First: Sendable { let title: String, lead: String }

        struct Endings: Sendable {
            let expired: Problem.Message, failed: Problem.Message, cancelled: Problem.Message, gone: Problem.Message, wrongPhone: Problem.Message
            let noPhone: Problem.Message, refused: Problem.Message, tooMany: Problem.Message
            let blockedTitle: String, blockedForGood: String
            let blocked: @Sendable (_ wait: String) -> String
        }

        struct Account: Sendable {
            let section: Strings.Account.Section, new: String, blocked: String, id: String, setUp: String
            let added: String, removed: String, kept: String
        }
    }

    /// Approving a login in an app, and setting up a phone for that; what is not here is said as in `PhoneLogin`.
    struct Approval: Sendable {
        let button: String, title: String, lead: String, otherwise: String
        let rejected: Problem.Message, reason: String, unexpected: String, incorrect: String
        let setup: PhoneLogin.Setup, typed: String, configuration: String, configurationText: String, address: String, same: String
        let section: Account.Section, unconfirmed: String, fingerprint: String
    }

    /// Logging in with a passkey, setting one up, linking a wallet's.
    struct Passkey: Sendable {
        /// What the script shows.
        struct Notes: Sendable { let unsupported: String, cancelled: String, exists: String, failed: String }

        struct Problems: Sendable {
            let over: String, refused: String, unknown: String, copied: String, another: String, notAllowed: String, tooMany: String, taken: String
            let ended: String
        }

        /// The same where one is set up or linked: nobody is told to log in another way.
        struct Aside: Sendable { let noScript: String, unsupported: String, cancelled: String, refused: String, unknown: String, copied: String }

        /// A page with one thing to do.
        struct Task: Sendable { let title: String, lead: String, submit: String }

        let button: String, title: String, lead: String, submit: String, noScript: String, notes: Notes, problems: Problems, aside: Aside, lost: String
        let none: Problem.Message, setUp: String, setup: Task, needed: String, name: String, hint: String, instead: String, passkeyInstead: String
        let link: Task, rename: Task, newName: String
        let section: Account.Section, opened: Account.Section, kept: String, oneDevice: String, synced: String, wallet: String, flagged: String
        let added: String, addedByName: String, linked: String, renamed: String, removed: String, unlink: String, unlinked: String, last: String
    }

    struct Problem: Sendable {
        struct Message: Sendable { let title: String, text: String }

        let badRequest: Message, expired: Message, forbidden: Message, unavailable: Message, notFound: Message, failed: Message
        let tooMany: String, forSupport: String
        let tooManyText: @Sendable (String) -> String
    }
}

extension Language {
    var strings: Strings {
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
