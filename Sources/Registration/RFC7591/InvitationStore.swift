import Base
import Database
import Foundation
import Vocabulary

/// An initial access token (RFC 7591, 3), without its secret.
struct Invitation: Sendable {
    let id: String
    let policy: RegistrationPolicy
}

/// Rows of `invitation`.
public struct InvitationStore: Sendable {
    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// The token is told once, stored as a hash. `id` names it in the audit trail. It ends with `lineage`, the epoch of
    /// its time: a restored backup brings no use of it back (token-tree.md, rule 9). Throws
    /// `WebClientStore.Unacceptable`.
    public func make(
        uses: Int, lifetime: TimeInterval, policy: RegistrationPolicy = .init(), below lineage: [NodeID],
        in executor: any SQLExecutor
    ) async throws -> (token: String, id: String, expires: Date) {
        if let unknown = policy.grantTypes?.first(where: { !DraftRules.grantTypes.contains($0) }) {
            throw DraftRules.refused("grant type \(unknown) is not offered")
        }
        if let scopes = policy.scopes, Scope(scopes.joined(separator: " "))?.names != scopes {
            throw DraftRules.refused("a scope is one word of the characters of RFC 6749, 3.3, named once")
        }
        if let reserved = policy.scopes?.first(where: AdminScope.isOne) {
            throw DraftRules.refused(
                """
                the scope \(reserved) is given by `pando admin clients create` only, never to those who \
                register themselves
                """
            )
        }
        let token = randomness.secretText(), expires = clock.now().addingTimeInterval(lifetime)
        _ = try await executor.execute(
            """
            insert into invitation (secret, uses, expires_at, created_at, policy, lineage)
            values (\(Digest.sha256(token)), \(uses), \(expires), \(clock.now()), \(JSONValue.object(policy.json)),
                \(lineage))
            """)
        return (token, InvitationStore.id(of: token), expires)
    }

    /// The invitation, if somebody may still register with it now.
    func find(_ token: String, in executor: any SQLExecutor) async throws -> Invitation? {
        try await executor.query(
            """
            select i.policy from invitation i where \(isOpen(token))
            """
        ).first.map {
            Invitation(id: InvitationStore.id(of: token), policy: RegistrationPolicy(stored: try $0("policy")))
        }
    }

    /// Takes one use; false when there is none left. Others who try wait for the end of the transaction.
    func take(_ token: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await transaction.execute(
            """
            update invitation i set uses = i.uses - 1 where \(isOpen(token))
            """) == 1
    }

    private func isOpen(_ token: String) -> SQL {
        """
        i.secret = \(Digest.sha256(token)) and i.uses > 0 and i.expires_at > \(clock.now())
        and not exists (select from revocation r where r.node = any (i.lineage))
        """
    }

    /// Deletes those with which nobody can register any more; the audit trail keeps that they were.
    public func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from invitation where uses < 1 or expires_at < \(clock.now())")
    }

    /// 71 bits of the hash, beginning with a letter: enough to tell invitations apart, nothing to register with.
    private static func id(of token: String) -> String {
        var hash = Digest.sha256(token)
        hash[0] &= 0x7f
        return Base64URL.encode(hash.prefix(9))
    }
}
