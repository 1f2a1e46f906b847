import Administration

extension ProductAdministration {
    static let tiqr = ProductAdministration(
        commands: [TiqrCommand.self],
        accountDeletion: AccountDeletion(member: "phones_removed") {
            try await TiqrLogin.removeAll(of: $0, actor: $1, at: $2, in: $3)
        },
        rotation: MasterKeyRotation(
            member: "tiqr_identities", ends: "enrollments and logins by tiqr that are under way"
        ) { old, new, clock, transaction in
            try await TiqrSecrets(master: old, clock: clock).reseal(under: new, in: transaction)
        })
}
