import Base
import Database
import Foundation
import Logging
import Metrics
import TestSupport
import Testing
import TokenTree

@testable import Server

@Suite("The process's clock beside the database's")
struct ClockWatchTests {
    private static let now = Date(numericDate: 1_800_000_000)

    @Test(
        "more than a minute apart is told, either way",
        arguments: [(0.0, false), (59, false), (-59, false), (61, true), (-61, true), (-31_536_000, true)]
            as [(TimeInterval, Bool)])
    func told(ahead: TimeInterval, isTold: Bool) async throws {
        let lines = CapturedLog(), registry = PrometheusRegistry()
        let database = Database(
            .init(connectionString: "host=/nonexistent dbname=none"), logger: Logger(label: "test"))
        let watch = withMetricsFactory(registry) {
            ClockWatch(
                database: database, clock: WallClock { Self.now },
                databaseClock: DatabaseClock { _ in Self.now + ahead }, logger: lines.logger)
        }

        let found = try await watch.look()

        #expect(found == isTold && lines.all.count { $0.hasPrefix("error this machine's clock") } == (isTold ? 1 : 0))
        #expect(registry.page.contains("\npando_clock_skew_seconds \(ahead)\n"))
        await database.close()
    }

    @Test(
        "a process whose clock is ahead of the database's forgets nothing; one that is behind takes its time",
        arguments: [(0.0, true), (-59, true), (-61, false), (-31_536_000, false), (61, true), (31_536_000, true)]
            as [(TimeInterval, Bool)])
    func forgets(ahead: TimeInterval, mayForget: Bool) async {
        let database = Database(
            .init(connectionString: "host=/nonexistent dbname=none"), logger: Logger(label: "test"))
        let clock = WallClock { Self.now }

        let known = await ClockWatch.mayForget(by: clock, DatabaseClock { _ in Self.now + ahead }, database)
        let unknown = await ClockWatch.mayForget(
            by: clock, DatabaseClock { _ in throw DatabaseError.unavailable("away") }, database)

        #expect(known == mayForget && !unknown)
        await database.close()
    }
}
