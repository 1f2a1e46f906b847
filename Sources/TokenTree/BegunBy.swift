import Base
import Database

/// What an app began hangs on its token: rows with `begun_by`, the token's family, and `lineage` as it read then. They read as ended when the token is.
public enum BegunBy {
    /// Holds the lineage of the token that began a row until the transaction ends, as minting does (token-tree.md, rule 3): whoever cuts any of it waits, and
    /// what was cut before is seen by the statements that follow. So nothing is approved after `revoke` has returned. Nothing is held where no token began it.
    ///
    /// `row` chooses the one row `x` of `table`. Before the lock of that row, so that the statement which takes that sees all cuts.
    public static func hold(_ table: SQL, _ row: SQL, in transaction: any SQLExecutor) async throws {
        var held: [NodeID] = []
        // An upgrade moves the lineage, but none comes while its anchor is held.
        for _ in 0..<4 {
            let rows = try await transaction.query("""
                select coalesce((select f.lineage from family f where f.id = x.begun_by), x.lineage) as lineage from \(table) x
                where x.begun_by is not null and \(row)
                """)
            guard let found = rows.first else { return }
            let lineage: [NodeID] = try found("lineage")
            guard lineage != held else { return }
            _ = try await transaction.query(TokenStore.lockShared(lineage))
            held = lineage
        }
        throw DatabaseError.serialization
    }
}
