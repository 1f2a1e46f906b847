import Pages

/// What the pages of the account, of logging in and of consent say.
struct IdentityProviderStrings: Sendable {
    let scopes: Scopes, login: Login, consent: Consent, logout: Logout
    let account: Account, password: Password, device: Device

    struct Scopes: Sendable {
        let openid: String, openidText: String, profile: String, email: String, offline: String, offlineText: String,
            discovery: String, discoveryText: String,
            otherText: String, none: String
    }

    struct Login: Sendable {
        let title: String, again: String, username: String, password: String, submit: String
        let wrong: String, busy: String, expired: String, remembered: String
        let tooMany: @Sendable (String) -> String
    }

    struct Consent: Sendable {
        let title: NamedSentence, receives: String, acts: String, withdrawal: String, allow: String, deny: String
    }

    struct Logout: Sendable {
        let title: String, asks: NamedSentence, text: String, phones: String, submit: String, stay: String
        let done: String, shared: String, back: NamedSentence, goOn: String, again: String
    }

    struct Account: Sendable {
        let title: String
        let phones: Strings.Account.Section, applications: Strings.Account.Section, sessions: Strings.Account.Section
        let system: String, app: String, receives: String, actsAt: String, thisBrowser: String
        let disconnected: String, withdrawn: String, passwordChanged: String, notNow: String
    }

    struct Password: Sendable {
        let title: String, current: String, new: String, again: String, submit: String, wrong: String,
            different: String
        let long: String, common: String, ofName: String
        let hint: @Sendable (Int) -> String, weak: @Sendable (Int) -> String
    }

    struct Device: Sendable {
        let title: String, lead: String, code: String, hint: String, submit: String, unknown: String
        let confirm: NamedSentence, compare: String, warning: String
        let allowed: String, allowedText: String, denied: String, deniedText: String
    }
}

extension Language {
    private static let ownTranslations = SharedStrings<IdentityProviderStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var own: SharedStrings<IdentityProviderStrings> { Self.ownTranslations[self] }
}
