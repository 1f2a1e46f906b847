import Base
import Database
import Foundation

/// What is forgotten of the tree besides dead partitions: rows of `reach` and `revocation` that nothing asks for any
/// more, in batches (docs/token-tree.md, "What is forgotten").
public struct TreePurge: Sendable {
    /// Rows of `reach` that are looked at in one statement, and statements of a round; the next round goes on there.
    static let step = 5_000
    static let steps = 100
    /// Every token that was issued before a revocation is gone from its partition by then.
    public static let memory = PartitionPlan.assertionMemory + 60 * 86_400
    /// Between two looks whether something still hangs below a node that was revoked so long ago.
    static let held: TimeInterval = 30 * 86_400
    /// Revocations of one day, and rows of one statement.
    static let mostRevocations = 20_000
    static let batch = 1_000

    let database: Database
    let clock: WallClock

    public init(database: Database, clock: WallClock) { (self.database, self.clock) = (database, clock) }

    /// A round of both.
    public func forget() async throws {
        try await forgetReach()
        try await forgetRevocations()
    }

    // MARK: reach

    /// Goes through `reach` in the order of its key, from where the last round ended.
    public func forgetReach() async throws {
        for _ in 0..<TreePurge.steps {
            let step = try await database.atomically { try await self.step(in: $0) }
            try await forgetKeys(step.keys)
            guard step.isGoingOn else { return }
        }
    }

    private static let place = "purge.reach"

    private struct Step: Sendable {
        /// False at the end, or where another process is at it.
        let isGoingOn: Bool
        /// Of phones none of whose installations lives.
        let keys: [NodeID]
    }

    private func step(in transaction: any SQLExecutor) async throws -> Step {
        let now = clock.now()
        let places = try await transaction.batch([
            """
            insert into setting (name, value, changed_at) values (\(TreePurge.place), '{}', \(now))
            on conflict (name) do nothing
            """,
            "select value from setting where name = \(TreePurge.place) for update skip locked",
        ])
        guard let value = try places[1].first.map({ try $0("value", as: JSONValue.self) }) else {
            return Step(isGoingOn: false, keys: [])
        }
        let node = value["node"]?.string.flatMap { NodeID($0) } ?? PartitionPlan.first(of: .days, endingBefore: nil)
        let service = value["service"]?.string ?? ""
        let rows = try await transaction.query(
            """
            with part as materialized (
                select r.node, r.service from reach r where (r.node, r.service) > (\(node), \(service))
                order by r.node, r.service limit \(TreePurge.step)
            ), gone as (
                delete from reach r using part p where r.node = p.node and r.service = p.service
                    and (\(isOfNobody) or \(isOver(at: now)))
            )
            select p.node, p.service, (select count(*) from part) as n, array(
                select distinct k.node from part k join ancestor a on a.id = k.node
                where a.kind = 'key' and \(TreePurge.isOfDeadPhones)) as keys
            from part p order by p.node desc, p.service desc limit 1
            """)
        let keys: [NodeID] = try rows.first.map { try $0("keys") } ?? []
        guard let last = rows.first, try last("n", as: Int.self) == TreePurge.step else {
            try await keep([:], in: transaction)
            return Step(isGoingOn: false, keys: keys)
        }
        let place: NodeID = try last("node")
        try await keep(
            ["node": .string("\(place)"), "service": .string(try last("service"))], in: transaction)
        return Step(isGoingOn: true, keys: keys)
    }

    /// Of the key in row `a` of `ancestor`, one of phones: whatever hung below it hung below an installation, too, and the services
    /// were told of that one's end.
    private static let isOfDeadPhones: SQL = """
        exists (select from app_instance i where i.thumbprint = a.name)
            and not exists (select from app_instance i where i.thumbprint = a.name
                and not exists (select from revocation v where v.node = any (i.lineage)))
        """

    /// The key may come again with another installation, so who issues below it is kept out while it is looked anew.
    private func forgetKeys(_ keys: [NodeID]) async throws {
        for key in keys {
            _ = try await database.batchAlone([
                "select pg_advisory_xact_lock(\(key.lockNumber))",
                """
                delete from reach r using ancestor a
                where r.node = \(key) and a.id = r.node and \(TreePurge.isOfDeadPhones)
                """,
            ])
        }
    }

    private func keep(_ place: JSONObject, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            """
            update setting set value = \(JSONValue.object(place)), changed_at = \(clock.now())
            where name = \(TreePurge.place)
            """)
    }

    /// The service is gone, and has heard of that.
    private var isOfNobody: SQL {
        """
        not exists (select from service s where s.id = r.service and s.status <> 'removed')
            and not exists (select from delivery d where d.service = r.service)
        """
    }

    /// The node can be revoked no more: neither is it the open generation of an ancestor, nor has it a row that its
    /// identifier says is still there, nor is it refreshed.
    private func isOver(at now: Date) -> SQL {
        let limit = now.addingTimeInterval(-PartitionPlan.margin)
        func ended(_ span: NodeID.Span) -> SQL {
            """
            p.node >= \(PartitionPlan.first(of: span, endingBefore: nil))
                and p.node < \(PartitionPlan.first(of: span, endingBefore: limit))
            """
        }
        return """
            (\(ended(.days)) or \(ended(.weeks)) or \(ended(.months))
                or p.node >= \(PartitionPlan.first(of: .endless, endingBefore: nil))
                    and not exists (select from ancestor a where a.id = p.node))
            and not exists (select from family f where f.id = p.node)
            """
    }

    // MARK: revocation

    /// Once a day: revocations that are older than any token below them can be, unless something else is found there.
    /// What keeps out a stolen signing key stays for good, and so do those of the root: there are few.
    public func forgetRevocations() async throws {
        guard try await isFirstToday() else { return }
        let now = clock.now()
        let nodes: [NodeID] = try await database.query(
            """
            select r.node from revocation r
            where r.revoked_at < \(now.addingTimeInterval(-TreePurge.memory))
                and (r.held_at is null or r.held_at < \(now.addingTimeInterval(-TreePurge.held)))
                and r.label not like 'signer:%' and r.label not like 'foreign:signer:%' and r.label not like 'epoch:%'
            order by r.revoked_at limit \(TreePurge.mostRevocations)
            """
        ).map { try $0("node") }
        guard !nodes.isEmpty else { return }
        try await forgetFamilies(below: nodes)
        var held: Set<NodeID> = []
        for table in try await tables() {
            let rows = try await database.query(
                """
                select distinct n.node from \(identifier: table) t cross join unnest(t.lineage) as n (node)
                join unnest(\(nodes)) as old (node) on old.node = n.node
                """)
            for row in rows { held.insert(try row("node")) }
        }
        for part in TreePurge.parts(held.sorted { "\($0)" < "\($1)" }) {
            _ = try await database.execute("update revocation set held_at = \(now) where node = any (\(part))")
        }
        for part in TreePurge.parts(nodes.filter { !held.contains($0) }) {
            _ = try await database.execute("delete from revocation where node = any (\(part))")
        }
    }

    /// Nobody can refresh them.
    private func forgetFamilies(below nodes: [NodeID]) async throws {
        let dead: [NodeID] = try await database.query(
            """
            select distinct f.id from family f cross join unnest(f.lineage) as n (node)
            join unnest(\(nodes)) as old (node) on old.node = n.node
            """
        ).map { try $0("id") }
        for part in TreePurge.parts(dead) {
            _ = try await database.execute("delete from family where id = any (\(part))")
        }
    }

    /// All in which something hangs from nodes, but for tokens, which are gone.
    private func tables() async throws -> [String] {
        try await database.query(
            """
            select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = (select v.relnamespace from pg_class v where v.oid = 'revocation'::regclass)
                and c.relkind = 'r' and not c.relispartition and a.attname = 'lineage' and not a.attisdropped
                and a.atttypid = 'uuid[]'::regtype and not starts_with(c.relname, 'token_')
            order by c.relname
            """
        ).map { try $0("name") }
    }

    private static let day = "purge.revocation"

    /// One process of all.
    private func isFirstToday() async throws -> Bool {
        let now = clock.now()
        return try await !database.query(
            """
            insert into setting as s (name, value, changed_at) values (\(TreePurge.day), '{}', \(now))
            on conflict (name) do update set changed_at = excluded.changed_at
                where s.changed_at <= \(now.addingTimeInterval(-86_400))
            returning name
            """
        ).isEmpty
    }

    private static func parts(_ nodes: [NodeID]) -> [[NodeID]] {
        stride(from: 0, to: nodes.count, by: batch).map { Array(nodes[$0..<min($0 + batch, nodes.count)]) }
    }
}
