import Administration

extension ProductAdministration {
    static let operations = ProductAdministration(
        commands: [OperationsCommand.self],
        accountDeletion: AccountDeletion(member: "phones_removed") {
            try await ApprovalLogin.removeAll(of: $0, actor: $1, at: $2, in: $3)
        },
        rotation: MasterKeyRotation(
            member: "operations_secrets", ends: "activation codes of the account page that no phone has taken"
        ) { old, new, clock, transaction in
            try await OperationsSecrets(master: old, clock: clock).reseal(under: new, in: transaction)
        })
}
