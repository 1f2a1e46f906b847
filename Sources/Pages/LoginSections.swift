/// What the account page lists of each way of logging in.
extension AccountSection {
    /// Posts `passkey` to /account/passkeys/remove.
    public static func passkeys(_ passkeys: [OwnPasskey], _ language: Language) -> AccountSection {
        let strings = language.strings.passkey
        return AccountSection(
            "passkeys", strings.section, passkeys.map { $0.card(language) }, action: "/account/passkeys/remove", field: "passkey",
            more: .init(href: "/account/passkeys/add", label: strings.setUp))
    }

    /// Posts `session` to /account/wallets/end.
    public static func openedPages(_ opened: [OpenedPage], _ language: Language) -> AccountSection {
        AccountSection(
            "wallets", language.strings.passkey.opened, opened.map { $0.card(language) }, action: "/account/wallets/end", field: "session")
    }

    /// Posts `phone` to /account/phones/remove.
    public static func loginPhones(_ phones: [LoginPhone], _ language: Language) -> AccountSection {
        let strings = language.strings.phoneLogin.account
        return AccountSection(
            "logins", strings.section, phones.map { $0.card(language) }, action: "/account/phones/remove", field: "phone",
            more: .init(href: "/account/phones/add", label: strings.setUp))
    }

    /// Posts `phone` to /account/approvals/remove.
    public static func approvingPhones(_ phones: [ApprovingPhone], _ language: Language) -> AccountSection {
        AccountSection(
            "approvals", language.strings.approval.section, phones.map { $0.card(language) }, action: "/account/approvals/remove",
            field: "phone", more: .init(href: "/account/approvals/add", label: language.strings.phoneLogin.account.setUp))
    }
}
