import Base
import Database
import Foundation

/// What is forgotten of `ancestor`: open generations below which nothing is left, of things that do not come again: a
/// login that expired, a key none of whose installations is registered, an agreement with a client that is gone.
///
/// A generation is not only deleted but closed as a revocation closes it, with a row that is forgotten a week later:
/// whoever is about to issue below it at that moment opens another, and nothing lives below one that nobody can revoke.
/// Nobody is told, since nobody holds anything below it.
struct GenerationPurge {
    /// Those of one round, and of one transaction.
    static let most = 50_000
    static let batch = 50
    static let reason = "nothing hangs below it any more"

    let database: Database
    let clock: WallClock

    /// Goes through them in the order of their identifiers; gives the last one, where there are more.
    func close(after last: NodeID?) async throws -> NodeID? {
        let now = clock.now(), place = last ?? PartitionPlan.first(of: .endless, endingBefore: nil)
        let nodes: [NodeID] = try await database.query(
            """
            select a.id from ancestor a
            where a.id > \(place) and a.opened_at < \(now.addingTimeInterval(-RevocationPurge.settled))
                and \(isOfNobody)
            order by a.id limit \(GenerationPurge.most)
            """
        ).map { try $0("id") }
        guard !nodes.isEmpty else { return nil }
        let held = try await HangingNodes(database: database).among(nodes)
        let free = nodes.filter { !held.contains($0) }
        for start in stride(from: 0, to: free.count, by: GenerationPurge.batch) {
            try await close(Array(free[start..<min(start + GenerationPurge.batch, free.count)]), at: now)
        }
        return nodes.count < GenerationPurge.most ? nil : nodes.last
    }

    /// The lock waits for who is issuing below one of them, whose rows the second statement sees.
    private func close(_ nodes: [NodeID], at now: Date) async throws {
        let locks = nodes.map(\.lockNumber).sorted()
        try await database.transaction { transaction in
            _ = try await transaction.batch([
                "set local lock_timeout = '1s'",
                """
                select pg_advisory_xact_lock(l.number) from unnest(\(locks)) with ordinality as l (number, n)
                order by l.n
                """,
                """
                with gone as (
                    delete from ancestor a where a.id = any (\(nodes)) and \(isOfNobody)
                    returning a.id, a.kind || ':' || a.name as label
                )
                insert into revocation (node, label, revoked_at, actor, reason)
                select g.id, g.label, \(now), \(AuditActor.server.name), \(GenerationPurge.reason) from gone g
                on conflict do nothing
                """,
            ])
        }
    }

    /// Of row `a`. A session's own row names it in its lineage, so those of sessions that go on are held.
    private var isOfNobody: SQL {
        """
        (a.kind = 'session'
            or a.kind = 'key' and not exists (select from app_instance i where i.thumbprint = a.name)
            or a.kind = 'grant' and not exists (select from client c where c.id = split_part(a.name, '/', 2)))
        """
    }
}
