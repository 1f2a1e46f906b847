/// What the account page lists of each way of logging in.
extension AccountSection {
    /// Posts `passkey` to /account/passkeys/remove.
    public static func passkeys(_ passkeys: [OwnPasskey], _ language: Language) -> AccountSection {
        let words = language.words.passkey
        return AccountSection(
            "passkeys", words.section, passkeys.map { $0.card(language) }, action: "/account/passkeys/remove", field: "passkey",
            more: .init(href: "/account/passkeys/add", label: words.setUp))
    }

    /// Posts `session` to /account/wallets/end.
    public static func openedPages(_ opened: [OpenedPage], _ language: Language) -> AccountSection {
        AccountSection(
            "wallets", language.words.passkey.opened, opened.map { $0.card(language) }, action: "/account/wallets/end", field: "session")
    }

    /// Posts `phone` to /account/phones/remove.
    public static func loginPhones(_ phones: [LoginPhone], _ language: Language) -> AccountSection {
        let words = language.words.phoneLogin.account
        return AccountSection(
            "logins", words.section, phones.map { $0.card(language) }, action: "/account/phones/remove", field: "phone",
            more: .init(href: "/account/phones/add", label: words.setUp))
    }

    /// Posts `phone` to /account/approvals/remove.
    public static func approvingPhones(_ phones: [ApprovingPhone], _ language: Language) -> AccountSection {
        AccountSection(
            "approvals", language.words.approval.section, phones.map { $0.card(language) }, action: "/account/approvals/remove",
            field: "phone", more: .init(href: "/account/approvals/add", label: language.words.phoneLogin.account.setUp))
    }
}
