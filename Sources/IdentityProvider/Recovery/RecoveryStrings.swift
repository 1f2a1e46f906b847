import OAuth
import Pages

/// What the pages say behind links in mail, of addresses and of recovery codes.
struct RecoveryStrings: Sendable {
    /// A page with one thing to do.
    struct Task: Sendable { let title: String, lead: String, submit: String }

    let forgotten: String, toLogin: String, toAccount: String, askAgain: String, or: String
    let ask: Task, name: String, asked: Strings.Message
    let reset: Task, invite: Task, set: Strings.Message, over: Strings.Message
    let email: Task, emailLabel: String, notAnAddress: String, sent: Strings.Message
    let verify: Task, verified: Strings.Message
    let addresses: Strings.Account.Section, isVerified: String, isUnverified: String, changeAddress: String
    let cutDevice: Task, cutBrowser: Task, cutFactor: Task, cutRemoval: Task, cutPassword: Task, cutAddress: Task
    let cutDeviceDone: Strings.Message, cutSuspended: Strings.Message, cutDone: Strings.Message
    let button: String, code: Task, codeLabel: String, codeHint: String, wrong: String
    let codes: Task, made: Strings.Message, codesSection: Strings.Account.Section, removed: String
    let left: @Sendable (Int) -> String

    /// By what a link ends.
    var cuts: @Sendable (AccountRecovery.Cut.Kind) -> Task {
        { kind in
            switch kind {
            case .device: cutDevice
            case .browser: cutBrowser
            case .factor: cutFactor
            case .removal: cutRemoval
            case .password: cutPassword
            case .address: cutAddress
            }
        }
    }
}

extension Language {
    private static let recoveryTranslations = SharedStrings<RecoveryStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var recovery: SharedStrings<RecoveryStrings> { Self.recoveryTranslations[self] }
}
