import Base
import Database
import Foundation

/// Which of some nodes anything hangs below, in all tables at one moment.
///
/// A row hangs below each node of its `lineage`, whatever table it is in, so a table that comes later is among those
/// that are read. What is granted for several resources hangs below more than its lineage says (`GrantedResource`), and
/// an event that is still to be told is told of its node.
///
/// All is read in one snapshot: what begets a row stands in another one, which is deleted no sooner than days after,
/// so that a row which moves from a table that comes late to one that came early is in one of the two.
struct HangingNodes {
    let database: Database

    /// Those of `nodes` that have something below them.
    func among(_ nodes: [NodeID]) async throws -> Set<NodeID> {
        try await database.transaction { transaction in
            _ = try await transaction.batch([
                "set transaction isolation level repeatable read, read only", HangingNodes.byHash,
            ])
            var held: Set<NodeID> = []
            for table in try await HangingNodes.tables(transaction) {
                let rows = try await transaction.query(
                    """
                    select distinct n.node from \(identifier: table) t cross join unnest(t.lineage) as n (node)
                    join unnest(\(nodes)) as old (node) on old.node = n.node
                    """)
                for row in rows { held.insert(try row("node")) }
            }
            for rows in try await transaction.batch([
                """
                select distinct old.node from family f
                cross join jsonb_array_elements(f.detail -> 'resources') as x (resource)
                cross join jsonb_array_elements_text(x.resource -> 'nodes') as n (node)
                join unnest(\(nodes)) as old (node) on old.node = n.node::uuid
                where jsonb_typeof(f.detail -> 'resources') = 'array'
                """,
                """
                select distinct o.node from outbox o join unnest(\(nodes)) as old (node) on old.node = o.node
                where o.settled_at is null
                """,
            ]) {
                for row in rows { held.insert(try row("node")) }
            }
            return held
        }
    }

    /// For statements that look for many nodes in all lineages: one table of the nodes, through which each row goes.
    /// Left to itself, the planner sorts all lineages on disk, or goes through the nodes anew for each row.
    static let byHash: SQL = """
        select set_config('enable_mergejoin', 'off', true), set_config('enable_nestloop', 'off', true)
        """

    /// All in which something hangs from nodes, of `token` its partitions, also those on other servers. What a service
    /// is called for (`assertion_reach`) stands in `token` too.
    static func tables(_ executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            """
            select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
            left join pg_inherits i on i.inhrelid = c.oid
            where c.relnamespace = (select v.relnamespace from pg_class v where v.oid = 'revocation'::regclass)
                and c.relkind in ('r', 'f') and a.attname = 'lineage' and not a.attisdropped
                and a.atttypid = 'uuid[]'::regtype
                and (i.inhparent = 'token'::regclass or not c.relispartition and not starts_with(c.relname, 'token_')
                    and not starts_with(c.relname, 'assertion_reach_'))
            order by c.relname
            """
        ).map { try $0("name") }
    }
}
