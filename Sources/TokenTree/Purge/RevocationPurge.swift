import Base
import Database
import Foundation

/// What is forgotten of `revocation`: once a day, those below which nothing is left that would live without them.
///
/// A row stays for a week whatever it is of, longer than any request, memory of a process or begun login that could
/// still issue below its node. That of a token stays for as long as the token's own row. Then all tables are asked, in
/// one snapshot, whether anything hangs below (`HangingNodes`); where something does, it is asked again a month later.
/// What keeps out a stolen signing key stays for good, and so do those of the root: there are few.
struct RevocationPurge {
    /// No revocation goes before.
    static let settled: TimeInterval = 7 * 86_400
    /// Between two looks whether something still hangs below a node.
    static let held: TimeInterval = 30 * 86_400
    /// Revocations of one round, and rows of one statement.
    static let most = 50_000
    static let batch = 1_000

    let database: Database
    let clock: WallClock

    /// False where there are more.
    func forget() async throws -> Bool {
        let now = clock.now()
        let nodes: [NodeID] = try await database.query(
            """
            select r.node from revocation r
            where r.revoked_at < \(now.addingTimeInterval(-RevocationPurge.settled))
                and (r.held_at is null or r.held_at < \(now.addingTimeInterval(-RevocationPurge.held)))
                and r.label not like 'signer:%' and r.label not like 'foreign:signer:%' and r.label not like 'epoch:%'
                and \(PartitionPlan.hasNoRow("r.node", at: now))
            order by r.revoked_at limit \(RevocationPurge.most)
            """
        ).map { try $0("node") }
        guard !nodes.isEmpty else { return true }
        try await forgetFamilies(below: nodes)
        let held = try await HangingNodes(database: database).among(nodes)
        for part in RevocationPurge.parts(nodes.filter(held.contains)) {
            _ = try await database.execute("update revocation set held_at = \(now) where node = any (\(part))")
        }
        for part in RevocationPurge.parts(nodes.filter { !held.contains($0) }) {
            _ = try await database.execute("delete from revocation where node = any (\(part))")
        }
        return nodes.count < RevocationPurge.most
    }

    /// Nobody can refresh them. One that a row was begun by stays, since that row's lineage is read from it
    /// (`TokenBoundRow.lineage`), and with it what it hangs below.
    private func forgetFamilies(below nodes: [NodeID]) async throws {
        let begun = try await begunByFamilies().map { table -> SQL in
            "and not exists (select from \(identifier: table) x where x.begun_by = f.id)"
        }
        let dead: [NodeID] = try await database.batch([
            HangingNodes.byHash,
            """
            select distinct f.id from family f cross join unnest(f.lineage) as n (node)
            join unnest(\(nodes)) as old (node) on old.node = n.node
            where true \(begun.joined(separator: " "))
            """,
        ])[1].map { try $0("id") }
        for part in RevocationPurge.parts(dead) {
            _ = try await database.execute("delete from family where id = any (\(part))")
        }
    }

    private func begunByFamilies() async throws -> [String] {
        try await database.query(
            """
            select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = (select v.relnamespace from pg_class v where v.oid = 'revocation'::regclass)
                and c.relkind = 'r' and a.attname = 'begun_by' and not a.attisdropped
            order by c.relname
            """
        ).map { try $0("name") }
    }

    static func parts(_ nodes: [NodeID]) -> [[NodeID]] {
        stride(from: 0, to: nodes.count, by: batch).map { Array(nodes[$0..<min($0 + batch, nodes.count)]) }
    }
}
