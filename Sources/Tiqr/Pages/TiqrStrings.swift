import Pages

/// What is said of logging in with a phone by scanning, what can become of it, and setting one up.
struct TiqrStrings: Sendable {
    struct Offline: Sendable {
        let title: String, lead: String, identity: String, identityHint: String, password: String, submit: String
        let back: String, wrongLast: String, malformed: String, unknown: String
        let wrong: @Sendable (_ attemptsLeft: Int) -> String
    }

    struct Number: Sendable {
        let lead: String, confirmed: String, label: String, submit: String, warning: String, told: String
        let malformed: String, scan: String
    }

    struct First: Sendable { let title: String, lead: String }

    /// Where a phone's link leads that no app has caught.
    struct Landing: Sendable {
        struct Purpose: Sendable { let title: String, lead: String, warning: String? }

        let enrollment: Purpose, authentication: Purpose, otherwise: String
    }

    let button: String, title: String, lead: String, offlineLink: String
    let phone: @Sendable (_ day: String, _ id: String) -> String
    let offline: Offline, number: Number
    let setup: PhoneSetupPage.Texts, first: First
    let landing: Landing
    let section: Strings.Account.Section, new: String, id: String
}

extension Language {
    private static let tiqrTranslations = SharedStrings<TiqrStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var tiqr: SharedStrings<TiqrStrings> { Self.tiqrTranslations[self] }
}
