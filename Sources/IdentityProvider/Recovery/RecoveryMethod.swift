import Accounts
import HTTP
import OAuth
import Pages

extension LoginMethod {
    /// What gets people back in, and tells them what happened: links in mail, and recovery codes where there are other
    /// factors that these stand in for. `hasMail`: the server has one to send with.
    public static func recovery(_ codes: RecoveryCodes?, hasMail: Bool) -> LoginMethod {
        LoginMethod(
            factors: codes.map { [$0.secondFactor(button: { Language(tag: $0).recovery.button })] } ?? [],
            pages: { web in
                RecoveryRoutes.endpoints(web) + (codes.map { RecoveryCodeRoutes.endpoints($0, web) } ?? [])
            },
            sections: { account, language in
                var sections: [AccountSection] = hasMail ? [.address(of: account, language)] : []
                // Who has no other factor has no use for them.
                if let codes, try await codes.isUseful(to: account.id) {
                    sections.append(.codes(left: try await codes.count(of: account.id), language))
                }
                return sections
            },
            notices: [.codesRemoved],
            apps: codes == nil
                ? OpenAPIAppLogin()
                : OpenAPIAppLogin(
                    asked: [("recovery_code", "One of the person's codes, for `recovery`.")],
                    shown: [("recovery:object", "In which parameter the app sends the code.")]))
    }
}

extension AccountSection {
    fileprivate static func address(of account: Account, _ language: Language) -> AccountSection {
        let own = language.recovery
        let cards = account.email.map { email in
            Card(
                name: ShownText.tidy(email, limit: 254) ?? "–",
                badge: account.emailVerifiedAt == nil ? own.isUnverified : own.isVerified, facts: [], id: email)
        }
        return AccountSection(
            "address", own.addresses, cards.map { [$0] } ?? [], action: "/account/email", field: "email",
            more: PageLink(label: own.changeAddress, href: "/account/email"), asksFirst: false)
    }

    fileprivate static func codes(left: Int, _ language: Language) -> AccountSection {
        let own = language.recovery
        let card = Card(name: own.left(left), facts: [], id: "all")
        return AccountSection(
            "codes", own.codesSection, left == 0 ? [] : [card], action: "\(RecoveryCodeRoutes.page)/remove",
            field: "codes", more: PageLink(label: own.codes.submit, href: RecoveryCodeRoutes.page))
    }
}
