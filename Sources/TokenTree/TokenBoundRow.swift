import Base
import Database

/// What was begun hangs from what began it: rows with the `lineage` of a token or a session as it read then, and, where
/// that lineage may move, `begun_by`, the token's family. They read as ended when any of it is. An empty lineage is
/// that of nobody.
public enum TokenBoundRow {
    /// Holds the lineage that a row was begun under until the transaction ends, as minting does (token-tree.md, rule
    /// 3): whoever revokes any of it waits, and what was revoked before is seen by the statements that follow. So
    /// nothing is approved after `revoke` has returned. Nothing is held for a row of nobody.
    ///
    /// `row` chooses the one row `x` of `table`. Before the lock of that row, so that the statement which takes that
    /// sees all revocations.
    public static func hold(_ table: SQL, _ row: SQL, in transaction: any SQLExecutor) async throws {
        var held: [NodeID] = []
        // An upgrade moves the lineage, but none comes while its anchor is held.
        for _ in 0..<4 {
            let rows = try await transaction.query(
                """
                select \(lineage) as lineage from \(table) x where x.lineage <> '{}' and \(row)
                """)
            guard let found = rows.first else { return }
            let lineage: [NodeID] = try found("lineage")
            guard lineage != held else { return }
            _ = try await transaction.query(TokenStore.lockShared(lineage))
            held = lineage
        }
        throw DatabaseError.serialization
    }

    /// The lineage of row `x` as it reads now.
    public static let lineage: SQL = "coalesce((select f.lineage from family f where f.id = x.begun_by), x.lineage)"

    /// The nodes of several lineages, each once, in the order in which all take their locks.
    public static func nodes(of lineages: [[NodeID]]) -> [NodeID] { IssueGathering.order(lineages) }

    /// For rows that are decided together, their lineages read before: the statement that holds `nodes` as ``hold``
    /// does, for those that follow it in the same transaction. They decide a row only where `lineage <@ nodes`: it may
    /// have moved since. With `briefly` each is waited for a tenth of a second (then 55P03), as is what the others
    /// lock.
    public static func holding(_ nodes: [NodeID], briefly: Bool) -> SQL {
        TokenStore.lockShared(nodes, briefly: briefly)
    }

    /// The same for a second half that no row stands behind, since it has the lineage at hand: that of the session in
    /// which it is finished. Whether that stands.
    public static func stands(_ lineage: [NodeID], in transaction: any SQLExecutor) async throws -> Bool {
        _ = try await transaction.query(TokenStore.lockShared(lineage))
        return try await transaction.query("select r.node from revocation r where r.node = any (\(lineage)) limit 1")
            .isEmpty
    }
}
