import Base
import Database
import Foundation

/// Revocations of tokens that come at the same time are written in one transaction, each with its line of the audit
/// trail and its events, and wait together until nobody answers from memory what held before.
struct RevocationGathering: Sendable {
    struct Wanted: Sendable {
        let id: NodeID
        let actor: AuditActor

        var label: String { Node.token(id).label }
    }

    /// Locks of one transaction, in PostgreSQL's shared table.
    static let most = 128

    /// `nil`: not together with these others.
    private let revocations: GroupCommit<Wanted, RevocationOutcome?>

    init(store: TokenStore, announce: @escaping Revocation.Announcement) {
        revocations = GroupCommit("revocations", most: RevocationGathering.most) { batch in
            do {
                return try await RevocationGathering.write(batch, store: store, announce: announce)
            } catch let error as DatabaseError where !error.isOfAll {
                return batch.map { _ in nil }
            }
        }
    }

    /// `nil` where one of those that came together has to wait for tokens that are being issued below, or fails: then
    /// each goes by itself.
    func commit(_ wanted: Wanted) async throws -> RevocationOutcome? { try await revocations.commit(wanted) }

    /// The locks come before the insertion, which so sees whatever was issued below; the services it reaches are read
    /// after it.
    private static func write(
        _ batch: [Wanted], store: TokenStore, announce: Revocation.Announcement
    ) async throws -> [RevocationOutcome?] {
        var wanted: [NodeID: Wanted] = [:]
        for one in batch where wanted[one.id] == nil { wanted[one.id] = one }
        let all = wanted.values.sorted { $0.id.lockNumber < $1.id.lockNumber }, ids = all.map(\.id)
        let now = store.clock.now()
        return try await store.database.transaction { transaction in
            let results = try await transaction.batch([
                """
                with patience as materialized (select set_config('lock_timeout', '100ms', true))
                select pg_advisory_xact_lock(l.number) from patience
                    cross join unnest(\(ids.map(\.lockNumber))) with ordinality as l (number, n) order by l.n
                """,
                """
                with wanted as (
                    select w.node, w.label, w.actor, w.origin, w.reason
                    from unnest(\(ids), \(all.map(\.label)), \(all.map(\.actor.name)),
                        \(all.map { $0.actor.origin ?? "" }), \(all.map { $0.actor.reason ?? "" }))
                        as w (node, label, actor, origin, reason)
                ), made as (
                    insert into revocation (node, label, revoked_at, actor, reason)
                        select node, label, \(now), actor, nullif(reason, '') from wanted
                    on conflict do nothing returning node
                ), noted as (
                    insert into audit (at, actor, origin, action, node, reason, outcome, detail)
                    select \(now), actor, nullif(origin, ''), 'revoke', label, nullif(reason, ''), 'done', '{}'::jsonb
                    from wanted join made using (node)
                )
                select made.node, \(now)::timestamptz as revoked_at, false as already from made
                union all
                select r.node, r.revoked_at, true as already from revocation r where r.node = any (\(ids))
                """,
                "select node, service from reach where node = any (\(ids)) order by node, service",
                // The commit waits for as long as it takes.
                "select set_config('lock_timeout', '0', true)",
            ])
            transaction.whenCommitted("leases") { try await store.leases.settle() }
            var services: [NodeID: [String]] = [:], earlier: [NodeID: Date] = [:], fresh: Set<NodeID> = []
            for row in results[1] {
                let id: NodeID = try row("node")
                if try row("already") { earlier[id] = try row("revoked_at") } else { fresh.insert(id) }
            }
            for row in results[2] { services[try row("node"), default: []].append(try row("service")) }
            for id in ids where fresh.contains(id) {
                if let told = services[id] { try await announce(id, told, transaction) }
            }
            return batch.map { one in
                // Of those that name one node, the first has revoked it.
                let isFirst = fresh.remove(one.id) != nil
                if isFirst { TreeMetrics.shared.revoked() }
                return RevocationOutcome(
                    node: .token(one.id), already: !isFirst, revokedAt: earlier[one.id] ?? now,
                    services: isFirst ? services[one.id] ?? [] : [])
            }
        }
    }
}
