import Administration

extension ProductAdministration {
    static let passkeys = ProductAdministration(
        commands: [PasskeysCommand.self],
        accountDeletion: AccountDeletion(member: "passkeys_removed") {
            try await PasskeyLogin.removeAll(of: $0, actor: $1, at: $2, in: $3)
        })
}
