import Database
import Foundation
import Logging
import Testing
import TokenTree

/// A database of its own with all migrations and the partitions of `SettableClock`'s start, in the server that
/// PANDO_TEST_DATABASE names (a libpq conninfo), copied from `TemplateDatabase`; gone afterwards. Without it the test
/// fails, and says why.
///
/// Not a schema: a catalog in which thousands of schemas have come and gone is read through for each partition that is
/// attached, so each test took longer than the one before; and a notification woke the listeners of all others.
public struct TestDatabase: Sendable {
    public struct Missing: Error, CustomStringConvertible {
        public let description =
            "PANDO_TEST_DATABASE is not set: these tests need a PostgreSQL server, named by a libpq conninfo"
    }

    public let database: Database
    public let conninfo: String

    /// `forSuite` skips the queue: its tests may want databases of their own while it is held.
    public static func with(
        connections: Int = 6, logger: Logger = .quiet, forSuite: Bool = false,
        _ body: (TestDatabase) async throws -> Void
    ) async throws {
        guard let server = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else { throw Missing() }
        guard !forSuite else { return try await withOwn(of: server, connections: connections, logger: logger, body) }
        try await Turnstile.holding.pass {
            try await withOwn(of: server, connections: connections, logger: logger, body)
        }
    }

    private static func withOwn(
        of server: String, connections: Int, logger: Logger, _ body: (TestDatabase) async throws -> Void
    ) async throws {
        let name = "pando_test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let conninfo = naming(name, in: server)
        let test = TestDatabase(
            database: Database(
                .init(connectionString: conninfo, connections: connections, statementTimeout: 600, waitLimit: 600),
                logger: logger),
            conninfo: conninfo)
        let result: Result<Void, any Error>
        do {
            let template = try await TemplateDatabase.name(in: server)
            try await Turnstile.building.pass {
                // As files where there is no disk to wait for: half the work of copying page by page, and no WAL.
                try await once(
                    server,
                    server.contains("host=/dev/shm/")
                        ? "create database \(identifier: name) template \(identifier: template) strategy file_copy"
                        : "create database \(identifier: name) template \(identifier: template) strategy wal_log")
            }
            try await body(test)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await test.database.close()
        try await Turnstile.building.pass { try await drop(name, in: server) }
        try result.get()
    }

    /// Without force it waits for who is just leaving, and sends autovacuum away, which force has no right to do.
    private static func drop(_ name: String, in server: String) async throws {
        do { try await once(server, "drop database if exists \(identifier: name)") } catch {
            try await once(server, "drop database if exists \(identifier: name) with (force)")
        }
    }

    /// On a connection that is given back at once.
    static func once(_ server: String, _ statement: SQL) async throws {
        let admin = Database(
            .init(connectionString: server, connections: 1, statementTimeout: 600, waitLimit: 600), logger: .quiet)
        let result: Result<Void, any Error>
        do { result = .success(_ = try await admin.execute(statement)) } catch { result = .failure(error) }
        await admin.close()
        try result.get()
    }

    /// The last `dbname` of a conninfo counts, also behind those of a URL.
    static func naming(_ name: String, in conninfo: String) -> String {
        guard conninfo.contains("://") else { return conninfo + " dbname=\(name)" }
        return conninfo + (conninfo.contains("?") ? "&" : "?") + "dbname=\(name)"
    }
}

/// Lets so many in at once. Who is inside must not ask to get in again, or all could wait for all.
actor Turnstile {
    /// Databases of single tests: a server has 500 connections, and those of suites, which do not queue, keep some 200.
    static let holding = Turnstile(width: 5)
    /// Copies keep the server's disk and one of its cores busy.
    static let building = Turnstile(width: 3)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) { free = width }

    nonisolated func pass(_ body: () async throws -> Void) async throws {
        await enter()
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await leave()
        try result.get()
    }

    private func enter() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    private func leave() {
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
