import Base
import Database
import Foundation

/// Revokes many nodes by one statement, for who keeps everybody from issuing below them meanwhile: no node is locked.
/// Of services in the house alone, where nothing reaches another service, so there is nobody to be told.
public struct RevocationSweep: Sendable {
    let revocation: Revocation

    public init(_ revocation: Revocation) { self.revocation = revocation }

    /// The open generations of these.
    public func revoke(
        _ ancestors: [Ancestor], by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        guard !ancestors.isEmpty else { return }
        revocation.settle(behind: transaction)
        let now = revocation.store.clock.now(), (kinds, names) = (ancestors.map(\.kind.rawValue), ancestors.map(\.name))
        let line = AuditTrail.line(
            AuditEntry(actor: actor, action: "revoke"), at: now, each: "made", node: "made.label")
        _ = try await transaction.execute(
            """
            with gone as (
                delete from ancestor a using unnest(\(kinds), \(names)) as w (kind, name)
                where a.kind = w.kind and a.name = w.name
                returning a.id, a.kind || ':' || a.name as label
            ), made as (
                insert into revocation (node, label, revoked_at, actor, reason)
                select g.id, g.label, \(now), \(actor.name), \(actor.reason) from gone g
                on conflict do nothing returning label
            )
            \(line)
            """)
    }

    /// App tokens of a service, issued before a moment, whose row `f` of `family` fulfils the condition; gives how many
    /// lived. Nobody can refresh them again, so their rows go: kept, they would be looked at by each that comes after.
    public func revokeApps(
        at realm: String, issuedBefore moment: Date, matching condition: SQL, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> Int {
        revocation.settle(behind: transaction)
        return try await transaction.query(
            """
            with gone as (
                delete from family f
                where f.kind = 'app_token' and f.realm = \(realm) and f.issued_at < \(moment) and \(condition)
                returning f.id, f.lineage
            ), made as (
                insert into revocation (node, label, revoked_at, actor, reason)
                select g.id, 'token:' || g.id, \(revocation.store.clock.now()), \(actor.name), \(actor.reason)
                from gone g where not exists (select from revocation r where r.node = any (g.lineage))
                on conflict do nothing returning 1
            )
            select count(*) as number from made
            """
        ).first.map { try $0("number") } ?? 0
    }
}
