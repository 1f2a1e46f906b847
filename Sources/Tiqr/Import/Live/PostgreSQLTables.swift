import Database
import Logging

/// Reads the tables of an old server in PostgreSQL: in one transaction that only reads and sees one moment, by a
/// cursor.
enum PostgreSQLTables {
    private static let batch = 250

    /// `patience`: how long, in seconds, a server that is away may take to come back.
    static func read(
        _ names: LiveTables.Names, at url: String, logger: Logger, patience: Double = 4.5
    ) async throws -> LiveTables {
        // It may be busy with its own users still: as long as it takes.
        let database = Database(
            .init(connectionString: url, connections: 1, statementTimeout: 0, waitLimit: patience), logger: logger)
        let result: Result<LiveTables, any Error>
        do {
            result = .success(try await database.rollingBack { try await read(names, in: $0) })
        } catch let error as DatabaseError {
            result = .failure(failure(error))
        } catch {
            result = .failure(error)
        }
        await database.close()
        return try result.get()
    }

    private static func failure(_ error: DatabaseError) -> LiveFailure {
        if case .unavailable(let reason) = error { return .unreachable(reason) }
        return .refused("\(error)")
    }

    private static func read(_ names: LiveTables.Names, in transaction: Transaction) async throws -> LiveTables {
        try await transaction.execute("set transaction isolation level repeatable read, read only")
        let asked = try LiveTables.Question.users(names, there: try await columns(of: names.users, in: transaction))
        let users = ExportedTable(asked, rows: try await rows(of: asked, in: transaction))
        guard let table = names.secrets else { return LiveTables(users: users, secrets: nil) }
        let question = try LiveTables.Question.secrets(
            table, there: try await columns(of: table, in: transaction))
        let secrets = ExportedTable(question, rows: try await rows(of: question, in: transaction))
        return LiveTables(users: users, secrets: secrets)
    }

    private static func columns(of table: String, in transaction: Transaction) async throws -> [String] {
        let found = try await transaction.query(
            """
            select a.attname::text as name from pg_attribute a
                where a.attrelid = to_regclass(quote_ident(\(table))) and a.attnum > 0 and not a.attisdropped
                order by a.attnum
            """)
        guard !found.isEmpty else { throw LiveFailure.noTable(table) }
        return try found.map { row throws(DatabaseError) in try row("name") }
    }

    private static func rows(
        of question: LiveTables.Question, in transaction: Transaction
    ) async throws -> [[String?]] {
        let columns = question.columns.map { "u.\(identifier: $0)::text as \(identifier: $0)" as SQL }
        let order = question.columns.prefix(1).map { "u.\(identifier: $0)" as SQL }.joined(separator: ", ")
        try await transaction.execute(
            """
            declare live no scroll cursor for
                select \(columns.joined(separator: ", ")) from \(identifier: question.table) u order by \(order)
            """)
        var rows: [[String?]] = []
        while true {
            let batch = try await transaction.query("fetch forward \(raw: "\(PostgreSQLTables.batch)") from live")
            for row in batch {
                var fields: [String?] = []
                for column in question.columns { fields.append(try row(column)) }
                rows.append(fields)
            }
            guard batch.count == PostgreSQLTables.batch else { break }
        }
        try await transaction.execute("close live")
        return rows
    }
}
