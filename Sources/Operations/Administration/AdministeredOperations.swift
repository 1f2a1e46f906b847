import Administration
import Database
import Foundation

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
        },
        rules: [
            .secret("operations config"),
            .institutions("operations registrations list", .account),
            .institutions("operations registrations show", registration),
            .institutions("operations registrations block", registration),
            .institutions("operations registrations unblock", registration),
            .institutions("operations registrations remove", registration),
        ])

    private static let registration = AdminTarget.thing("registration") { id, executor in
        let rows = try await executor.query(
            "select r.user_id from phone_registration r where r.id = \(id) and r.owner = 'house'")
        let account: String? = try rows.first?("user_id")
        return account.flatMap { UUID(uuidString: $0) }
    }
}
