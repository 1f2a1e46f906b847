import Database
import TestSupport

/// How many rows each table of the schema has; of partitioned ones the whole.
struct TableSizes: Sendable, Equatable {
    let rows: [String: Int]

    init(_ database: Database) async throws {
        let counted = try await database.query(
            """
            select c.relname::text as name,
                (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I.%I', n.nspname,
                    c.relname), false, true, '')))[1]::text::bigint as rows
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition
            """)
        rows = Dictionary(
            try counted.map { (try $0("name", as: String.self), try $0("rows", as: Int.self)) },
            uniquingKeysWith: { $1 })
    }

    /// Tables that have more rows than before, with how many.
    func grown(since before: TableSizes) -> [String: Int] {
        rows.filter { $0.value > before.rows[$0.key] ?? 0 }
    }
}
