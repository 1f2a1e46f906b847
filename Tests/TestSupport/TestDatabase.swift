import Database
import Foundation
import Logging
import Testing

/// A schema of its own with all migrations, in the server that PANDO_TEST_DATABASE names (a libpq conninfo); gone afterwards.
/// Notification channels and advisory locks are the database's, not the schema's: nodes are random, so locks do not meet.
public struct TestDatabase: Sendable {
    public struct Missing: Error, CustomStringConvertible {
        public let description = "PANDO_TEST_DATABASE is not set: these tests need a PostgreSQL server, named by a libpq conninfo"
    }

    public let database: Database
    /// With the search path.
    public let conninfo: String

    public static func with(connections: Int = 8, logger: Logger = .quiet, _ body: (TestDatabase) async throws -> Void) async throws {
        guard let server = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else {
            Issue.record(Missing())
            throw Missing()
        }
        await Turnstile.databases.enter()
        let result: Result<Void, any Error>
        do {
            try await withSchema(of: server, connections: connections, logger: logger, body)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await Turnstile.databases.leave()
        try result.get()
    }

    private static func withSchema(of server: String, connections: Int, logger: Logger, _ body: (TestDatabase) async throws -> Void) async throws {
        let schema = "pando_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let admin = Database(.init(connectionString: server, connections: 1, statementTimeout: 60, waitLimit: 60), logger: .quiet)
        try await admin.execute("create schema \(identifier: schema)")
        let conninfo = adding(searchPath: schema, to: server)
        let test = TestDatabase(database: Database(.init(connectionString: conninfo, connections: connections, statementTimeout: 60, waitLimit: 60), logger: logger),
                                conninfo: conninfo)
        let result: Result<Void, any Error>
        do {
            try await Migrator(database: test.database, directory: migrations, logger: .quiet).migrate()
            try await body(test)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await test.database.close()
        try await admin.execute("drop schema \(identifier: schema) cascade")
        await admin.close()
        try result.get()
    }

    /// The test may be built through a symbolic link.
    private static var migrations: URL {
        URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "../../migrations").standardizedFileURL
    }

    private static func adding(searchPath schema: String, to conninfo: String) -> String {
        guard conninfo.contains("://") else { return conninfo + " options='-csearch_path=\(schema)'" }
        return conninfo + (conninfo.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(schema)"
    }
}

/// Lets so many in at once: a server has 200 connections, and a schema with its partitions holds 500 of its locks while it is made or dropped.
/// Who holds a database must not ask for another, or all could wait for all.
actor Turnstile {
    static let databases = Turnstile(width: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) { free = width }

    func enter() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}

extension SQLExecutor {
    /// The first column of the first row.
    public func value<Value: SQLDecodable>(_ sql: SQL) async throws -> Value {
        let row = try #require(try await query(sql).first)
        return try row(row.columns[0])
    }
}
