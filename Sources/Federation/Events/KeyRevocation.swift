import Database
import Keys
import TokenTree

/// A signing key that others may hold: it counts no more, all that was issued under it ends, and the services hear of
/// both, in one transaction.
public struct KeyRevocation: Sendable {
    let keys: SigningKeys
    let revocation: Revocation
    let outbox: Outbox

    public init(keys: SigningKeys, revocation: Revocation, outbox: Outbox) {
        (self.keys, self.revocation, self.outbox) = (keys, revocation, outbox)
    }

    /// Throws `SigningKeys.Failure.unknownKey`. The key is marked first: who issues under it afterwards, by a memory
    /// not yet told, finds its generation revoked.
    public func revoke(
        _ kid: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> (key: SigningKeys.Revoked, revoked: RevocationOutcome) {
        let key = try await keys.revoke(kid, transaction)
        let revoked = try await revocation.revoke(.virtual(Ancestor(.signer, kid)), by: actor, in: transaction)
        for kid in key.kids { try await outbox.revoked(signer: kid, in: transaction) }
        return (key, revoked)
    }
}
