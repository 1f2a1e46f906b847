import Base
import Database
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import TokenTree

@testable import Crawler

/// A database of its own, and a crawler on it with a clock that tests set.
struct CrawlDatabase: Sendable {
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
        do {
            try await TestDatabase.with(connections: 4) { try await body(CrawlDatabase(database: $0.database)) }
        } catch {
            Issue.record(error)
        }
    }

    func crawler(
        _ settings: CrawlerSettings = CrawlerSettings(userAgent: "PandoCrawler/test"), clock own: WallClock? = nil
    ) -> Crawler {
        Crawler(
            database: database, settings: settings, clock: own ?? clock.wall, databaseClock: .following(clock.wall),
            logger: CrawlDatabase.quiet
        ) {
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
