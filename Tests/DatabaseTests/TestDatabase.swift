import Database
import Foundation
import Logging
import Testing

/// A real server, named by PANDO_TEST_DATABASE (a libpq conninfo). Each test has a schema of its own, so that all run
/// in parallel.
enum TestDatabase {
    struct Missing: Error, CustomStringConvertible {
        let description =
            "PANDO_TEST_DATABASE is not set: these tests need a PostgreSQL server, named by a libpq conninfo"
    }

    static func conninfo() throws -> String {
        // Thrown out of the test, it is recorded as its failure.
        guard let conninfo = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else { throw Missing() }
        return conninfo
    }

    /// A database whose search path is a new schema, dropped at the end.
    static func with(
        connections: Int = 4, statementTimeout: TimeInterval = 60, waitLimit: TimeInterval = 60,
        _ body: (Database) async throws -> Void
    ) async throws {
        let conninfo = try conninfo()
        let schema = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let admin = Database(
            .init(connectionString: conninfo, connections: 1, statementTimeout: 60, waitLimit: 60), logger: quiet)
        try await admin.execute("create schema \(identifier: schema)")
        let settings = Database.Settings(
            connectionString: adding("search_path=\(schema)", to: conninfo), connections: connections,
            statementTimeout: statementTimeout, waitLimit: waitLimit)
        let database = Database(settings, logger: quiet)
        do {
            try await body(database)
        } catch {
            Issue.record(error)
        }
        await database.close()
        try await admin.execute("drop schema \(identifier: schema) cascade")
        await admin.close()
    }

    static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    /// `setting` is `name=value`.
    static func adding(_ setting: String, to conninfo: String) -> String {
        guard conninfo.contains("://") else { return conninfo + " options='-c \(setting)'" }
        return conninfo + (conninfo.contains("?") ? "&" : "?") + "options=-c\(setting.replacing("=", with: "%3D"))"
    }
}

/// The error a statement throws, or `nil`.
func failure<Value>(_ body: () async throws -> Value) async -> DatabaseError? {
    do {
        _ = try await body()
        return nil
    } catch let error as DatabaseError {
        return error
    } catch {
        Issue.record(error)
        return nil
    }
}

func backend(_ executor: some SQLExecutor) async throws -> Int { try await executor.value("select pg_backend_pid()") }

extension SQLExecutor {
    /// The first column of the first row.
    func value<Value: SQLDecodable>(_ sql: SQL) async throws -> Value {
        let row = try #require(try await query(sql).first)
        return try row(row.columns[0])
    }
}
