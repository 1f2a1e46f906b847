import Base
import Database
import Foundation

/// What is forgotten of the tree besides dead partitions: rows of `reach`, `revocation`, `ancestor` and `family` that
/// nothing asks for any more, in batches (docs/token-tree.md, "What is forgotten").
public struct TreePurge: Sendable {
    /// Rows of `reach` that are looked at in one statement, and statements of a round; the next round goes on there.
    static let step = 5_000
    static let steps = 100
    /// No revocation goes before.
    public static let settled = RevocationPurge.settled

    let database: Database
    let clock: WallClock
    let databaseClock: DatabaseClock

    public init(database: Database, clock: WallClock, databaseClock: DatabaseClock = .ofServer) {
        (self.database, self.clock, self.databaseClock) = (database, clock, databaseClock)
    }

    /// A round of all.
    public func forget() async throws {
        try await forgetReach()
        try await closeGenerations()
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

    /// Of the key in row `a` of `ancestor`, one of phones: whatever hung below it hung below an installation,
    /// too, and the services were told of that one's end.
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
        """
        \(PartitionPlan.hasNoRow("p.node", at: now)) and not exists (select from ancestor a where a.id = p.node)
            and not exists (select from family f where f.id = p.node)
        """
    }

    // MARK: Once a day

    private func turn(_ name: String) -> DailyTurn {
        DailyTurn(name, database: database, clock: clock, databaseClock: databaseClock)
    }

    public func forgetRevocations() async throws {
        try await turn("revocation").take { _ in
            try await RevocationPurge(database: database, clock: clock).forget() ? nil : [:]
        }
    }

    public func closeGenerations() async throws {
        try await turn("ancestor").take { place in
            let last = try await GenerationPurge(database: database, clock: clock).close(
                after: place["node"]?.string.flatMap { NodeID($0) })
            return last.map { ["node": .string("\($0)")] }
        }
    }
}
