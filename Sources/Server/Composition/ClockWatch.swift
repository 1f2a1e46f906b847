import Base
import Database
import Foundation
import Logging
import Metrics
import TokenTree

/// Holds this process's clock against the database's, at the start and every hour: tokens, proofs and partitions go by
/// the one, what the database writes by itself by the other.
struct ClockWatch: Sendable {
    /// Seconds: what proofs are allowed too (docs/design/protocols).
    static let tolerance: TimeInterval = 60

    let database: Database
    let clock: WallClock
    let databaseClock: DatabaseClock
    let logger: Logger
    private let apart = Gauge(label: "pando_clock_skew_seconds")

    init(database: Database, clock: WallClock, databaseClock: DatabaseClock, logger: Logger) {
        (self.database, self.clock, self.databaseClock, self.logger) = (database, clock, databaseClock, logger)
    }

    func run() async {
        while !Task.isCancelled {
            do { try await look() } catch {
                logger.debug("the database's clock is not known now", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(3_600))
        }
    }

    /// Whether they are too far apart.
    @discardableResult
    func look() async throws -> Bool {
        let skew = try await databaseClock.skew(from: clock, database)
        apart.record(skew)
        guard abs(skew) > ClockWatch.tolerance else { return false }
        logger.error(
            """
            this machine's clock and the database's are apart: tokens and proofs are taken for older or newer than \
            they are. Let both keep their clocks by NTP
            """, metadata: ["ahead_s": "\(Int(-skew))"])
        return true
    }

    /// Whether what is over by `clock` may be forgotten, which does not come back: not where that is ahead of the
    /// database's, nor where nobody knows. Another process does it, or this one when it is set right.
    static func mayForget(by clock: WallClock, _ databaseClock: DatabaseClock, _ database: Database) async -> Bool {
        guard let skew = try? await databaseClock.skew(from: clock, database) else { return false }
        return skew >= -tolerance
    }
}
