import Administration
import Database
import Foundation

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
        },
        rules: [
            .institutions("tiqr identities list", .account),
            .institutions("tiqr identities show", identity),
            .institutions("tiqr identities block", identity),
            .institutions("tiqr identities unblock", identity),
            .institutions("tiqr identities remove", identity),
        ])

    private static let identity = AdminTarget.thing("identity") { name, executor in
        let rows = try await executor.query(
            "select t.external_id from tiqr_identity t where t.identity = \(name) and t.owner = 'house'")
        let account: String? = try rows.first?("external_id")
        return account.flatMap { UUID(uuidString: $0) }
    }
}
