import Administration
import Base
import Database

extension ProductAdministration {
    static let passkeys = ProductAdministration(
        commands: [PasskeysCommand.self],
        accountDeletion: AccountDeletion(member: "passkeys_removed") {
            try await PasskeyLogin.removeAll(of: $0, actor: $1, at: $2, in: $3)
        },
        rules: [
            .institutions("passkeys list", .account),
            .institutions("passkeys show", passkey),
            .institutions("passkeys remove", passkey),
        ])

    private static let passkey = AdminTarget.thing("passkey") { text, executor in
        guard let id = Base64URL.decode(text) else { return nil }
        let rows = try await executor.query("select k.account from passkey k where k.id = \(id)")
        return try rows.first?("account")
    }
}
