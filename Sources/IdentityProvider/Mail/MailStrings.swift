import HTTP
import OAuth
import Pages

/// What mail says.
struct MailStrings: Sendable {
    struct Letter: Sendable {
        let subject: String, text: String, button: String?, subjectLabel: String?, after: String

        /// `button` says what the link does, `subjectLabel` what the thing is, `after` what holds of the link.
        init(_ subject: String, _ text: String, button: String? = nil, subjectLabel: String? = nil, after: String) {
            (self.subject, self.text, self.button) = (subject, text, button)
            (self.subjectLabel, self.after) = (subjectLabel, after)
        }
    }

    let account: String, what: String, when: String, open: String, notYou: String, cut: String
    let footer: @Sendable (_ server: String) -> String
    let reset: Letter, invite: Letter, verify: Letter
    let device: Letter, browser: Letter, idle: Letter, newFactor: Letter, factorGone: Letter, password: Letter,
        address: Letter
    let phone: String, passkey: String, wallet: String, codes: String, institution: String

    func letter(_ kind: QueuedMail.Kind) -> Letter {
        switch kind {
        case .asked, .reset: reset
        case .invite: invite
        case .verify: verify
        case .device: device
        case .browser: browser
        case .idle: idle
        case .factor: newFactor
        case .factorRemoved: factorGone
        case .password: password
        case .address: address
        }
    }

    /// By the factor's name.
    func factor(_ name: String) -> String {
        switch name {
        case "passkey": passkey
        case "wallet": wallet
        case RecoveryCodes.factor: codes
        case LoginElsewhere.way: institution
        default: phone
        }
    }
}

extension Language {
    /// Few of them are sent, so they are made when they are.
    var mail: MailStrings {
        switch self {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }
}
