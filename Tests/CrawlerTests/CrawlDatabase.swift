import Base
import Database
import Foundation
import Logging
import Synchronization
import Testing

@testable import Crawler

/// A schema of its own with all migrations, in the server that PANDO_TEST_DATABASE names, and a crawler on it with a
/// clock that tests set.
struct CrawlDatabase: Sendable {
    struct Missing: Error {}

    final class Clock: Sendable {
        let now = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
        func pass(_ seconds: TimeInterval) { now.withLock { $0 += seconds } }
        var wall: WallClock { WallClock { self.now.withLock { $0 } } }
    }

    let database: Database
    let clock = Clock()

    static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    static func with(_ body: (CrawlDatabase) async throws -> Void) async throws {
        guard let conninfo = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else {
            Issue.record(
                "PANDO_TEST_DATABASE is not set: these tests need a PostgreSQL server, named by a libpq conninfo")
            throw Missing()
        }
        let schema = "crawl_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await once(conninfo, "create schema \(identifier: schema)")
        let path =
            conninfo.contains("://")
            ? (conninfo.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(schema)"
            : " options='-c search_path=\(schema)'"
        let database = Database(
            .init(connectionString: conninfo + path, connections: 4, statementTimeout: 600, waitLimit: 600),
            logger: quiet)
        do {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../migrations")
                .standardized
            try await Migrator(database: database, directory: folder, logger: quiet).migrate()
            try await body(CrawlDatabase(database: database))
        } catch {
            Issue.record(error)
        }
        await database.close()
        try await once(conninfo, "drop schema \(identifier: schema) cascade")
    }

    /// On a connection that is given back at once.
    private static func once(_ conninfo: String, _ statement: SQL) async throws {
        let admin = Database(
            .init(connectionString: conninfo, connections: 1, statementTimeout: 600, waitLimit: 600), logger: quiet)
        let result: Result<Void, any Error>
        do { result = .success(_ = try await admin.execute(statement)) } catch { result = .failure(error) }
        await admin.close()
        try result.get()
    }

    func crawler(_ settings: CrawlerSettings = CrawlerSettings(userAgent: "PandoCrawler/test")) -> Crawler {
        Crawler(database: database, settings: settings, clock: clock.wall, logger: CrawlDatabase.quiet) {
            // Machines that test are busy, and sites that do not answer have tests of their own.
            ($0.answerTime, $0.connectTime, $0.searchTime) = (.seconds(60), .seconds(60), .seconds(600))
        }
    }

    /// As the Federation room adds one: the rows of index and document together.
    func add(
        _ id: String, base: String, rsd: String? = nil, status: String = "active", loopback: Bool = true
    ) async throws {
        let now = clock.wall.now()
        _ = try await database.batch([
            """
            insert into client (id, name, auth_method, created_at) values (\(id), \(id), 'none', \(now))
            """,
            """
            insert into service (id, name, base, status, client, token_endpoint, events_endpoint, rsd,
                allow_loopback, created_at, changed_at)
            values (\(id), \("Index name of " + id), \(base), \(status), \(id), \(base + "token"),
                \(base + "events"), \(rsd as String?), \(loopback), \(now), \(now))
            """,
            """
            insert into service_document (service, next_try) values (\(id), \(now))
            """,
        ])
    }

    /// The only row of `crawl status` for a service.
    func row(_ id: String) async throws -> JSONValue {
        try #require(try await crawler().status(services: [id], after: nil, limit: 10).first)
    }

    func value<Value: SQLDecodable>(_ sql: SQL) async throws -> Value {
        let row = try #require(try await database.query(sql).first)
        return try row(row.columns[0])
    }

    func crawl(_ id: String, dryRun: Bool = false) async throws -> CrawlResult {
        try #require(try await crawler().crawl([id], dueOnly: false, dryRun: dryRun).first)
    }
}

enum Pages {
    static func home(_ href: String) -> Site.Reply {
        .ok("<!doctype html><html><head><link rel=\"ServiceAPI\" href=\"\(href)\"></head></html>")
    }

    static func document(_ names: String..., headers: [String: String] = [:]) -> Site.Reply {
        let apis = names.map { "\"\($0)\":{\"apiLink\":\"\($0.split(separator: ".").last ?? "x")/\"}" }.joined(
            separator: ",")
        return .ok("{\"engineName\":\"Engine\",\"apis\":{\(apis)}}", type: "application/json", headers: headers)
    }
}
