import Pages

/// What is said of approving a login in an app, and of setting up a phone for that.
struct ApprovalStrings: Sendable {
    let button: String, title: String, lead: String
    let rejected: Strings.Message, reason: String, unexpected: String, incorrect: String
    let setup: PhoneSetupPage.Texts, typed: String
    let configuration: String, configurationText: String, address: String, same: String
    let section: Strings.Account.Section, unconfirmed: String, fingerprint: String
}

extension Language {
    private static let approvalTranslations = SharedStrings<ApprovalStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var approval: SharedStrings<ApprovalStrings> { Self.approvalTranslations[self] }
}
