import Accounts
import Base
import Database
import Foundation
import TokenTree

/// The end of an account, by an operator or by its person: what acts for it ends, services are told, what products hold
/// of it goes, and the row with all that hangs from it. Lines of the audit trail keep its number alone.
public struct AccountRemoval: Sendable {
    /// What a product deletes with it, and what the number of things deleted is called.
    public struct Part: Sendable {
        public typealias Delete =
            @Sendable (UUID, AuditActor, Date, any SQLExecutor) async throws -> Int

        let member: String
        let delete: Delete

        public init(member: String, delete: @escaping Delete) { (self.member, self.delete) = (member, delete) }
    }

    public struct Removed: Sendable {
        public let revoked: RevocationOutcome
        /// How many things of each product, by `Part.member`.
        public let counts: JSONObject
    }

    let revocation: Revocation
    let accounts: AccountStore
    let parts: [Part]
    let clock: WallClock

    public init(revocation: Revocation, parts: [Part], clock: WallClock) {
        (self.revocation, self.parts, self.clock) = (revocation, parts, clock)
        accounts = AccountStore(clock: clock)
    }

    /// In the caller's transaction, who writes the line about it.
    public func remove(
        _ account: UUID, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> Removed {
        let person = Ancestor(.account, account.uuidString.lowercased())
        // Whose first login is under way has no open node yet, and would have one behind this.
        try await revocation.hold(person, in: transaction)
        let revoked = try await revocation.revoke(.virtual(person), by: actor, in: transaction)
        var counts = JSONObject()
        for part in parts {
            let count = try await part.delete(account, actor, clock.now(), transaction)
            counts[part.member] = .integer(count + (counts[part.member]?.integer ?? 0))
        }
        try await accounts.delete(account, in: transaction)
        return Removed(revoked: revoked, counts: counts)
    }
}
