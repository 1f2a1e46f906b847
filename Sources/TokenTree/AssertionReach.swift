import Base
import Database
import Foundation

/// Rows of `assertion_reach`: for which assertions a service has to be called (RFC 7009) when a node above them is cut.
///
/// They are written by the statement that issues, and follow moves as the assertions do, for services that are called
/// only. A row goes once its assertion was called for, or with its partition, when nothing can live below it any more.
public enum AssertionReach {
    /// How many rows of `token` are looked through at a time (`fill`).
    static let window = 20_000
    /// Identifiers that `below` gives at a time.
    static let most = 10_000

    /// Reads `id` and `lineage` from `made`.
    static func recording(_ service: String, anchor: NodeID) -> SQL {
        """
        insert into assertion_reach (assertion, service, anchor, lineage)
            select made.id, \(service), \(anchor), made.lineage from made
        """
    }

    /// A service's assertions below a node, in the order of their identifiers, behind `assertion`: the first ones, at
    /// least `limit` where there are as many.
    ///
    /// Of a node that much hangs below, the next rows of the service are looked at, whatever they hang from; of others
    /// the index of lineages gives all, and they are put in order. Left to itself, the planner would go through every
    /// row for a few that are in none of its statistics.
    public static func below(
        _ node: NodeID, at service: String, after assertion: NodeID?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        let rows: SQL = "assertion_reach a where a.service = \(service)",
            behind: SQL = assertion.map { "and a.assertion > \($0)" } ?? ""
        let next: [NodeID] = try await executor.query(
            """
            select p.assertion from (
                select a.assertion, a.lineage from \(rows) \(behind) order by a.assertion limit \(20 * limit)
            ) p where p.lineage @> array[\(node)]::uuid[] order by p.assertion limit \(limit)
            """
        ).map { try $0("assertion") }
        guard next.count < limit else { return next }
        return try await executor.query(
            """
            with found as materialized (
                select a.assertion from \(rows) and a.lineage @> array[\(node)]::uuid[] \(behind)
            )
            select assertion from found order by assertion limit \(most)
            """
        ).map { try $0("assertion") }
    }

    /// Those of `assertions` that are there still, and below the node.
    public static func still(
        _ assertions: [NodeID], below node: NodeID, in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        try await executor.query(
            """
            select a.assertion from assertion_reach a
            where a.assertion = any (\(assertions)) and a.lineage @> array[\(node)]::uuid[] order by a.assertion
            """
        ).map { try $0("assertion") }
    }

    /// Those that were called for. A move that changes some at this moment keeps its rows: their service is called
    /// twice.
    public static func forget(_ assertions: [NodeID]) -> SQL {
        """
        delete from assertion_reach where assertion in (select a.assertion from assertion_reach a
            where a.assertion = any (\(assertions)) for update skip locked)
        """
    }

    /// Writes down a part of a service's assertions, of before it was called: those behind `assertion`.
    /// - Returns: how far it came; `nil` at the end, where those that are issued at this moment may be missing.
    ///
    /// A move at the same time is waited for, or waits, so that each row has the lineage that its assertion has.
    public static func fill(
        _ service: String, after assertion: NodeID, at now: Date, in executor: any SQLExecutor
    ) async throws -> NodeID? {
        // Of those before, the partition may be gone.
        let from: SQL = "greatest(\(assertion), \(PartitionPlan.first(of: .months, endingBefore: now)))"
        let end: NodeID? = try await executor.query(
            "select t.id from token t where t.id > \(from) order by t.id offset \(window) limit 1"
        ).first.map { try $0("id") }
        _ = try await executor.execute(
            """
            with held as (
                select t.id, t.service, t.anchor, t.lineage from token t
                where t.id > \(from) and (\(end)::uuid is null or t.id <= \(end)) and t.kind = 'assertion'
                    and t.service = \(service)
                order by t.id for share
            )
            insert into assertion_reach (assertion, service, anchor, lineage)
                select held.id, held.service, held.anchor, held.lineage from held on conflict do nothing
            """)
        return end
    }
}
