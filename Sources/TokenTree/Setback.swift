import Base
import Database
import Foundation
import Logging
import Metrics
import Synchronization

/// That the database went back to an earlier state: a failover to a standby that lacked commits, or a restore
/// (docs/high-availability.md).
///
/// A refresh token whose MAC is ours and whose sequence is above its row's proves it: the number is in a token only
/// after the row was committed with it. Nobody can make one up, so it is no way to raise a false alarm. What was
/// revoked in the time that is lost lives again, and only people know what that was; so it stands until an operator
/// bumps the epoch or settles it.
public struct Setback: Sendable, Equatable {
    /// When it was proved first and last.
    public let firstAt: Date
    public let lastAt: Date
    /// How many refreshes proved it.
    public let families: Int
    /// By how many rotations a token was ahead at most.
    public let ahead: Int

    /// `nil`: nothing proves one, or it was settled.
    public static func standing(in executor: some SQLExecutor) async throws -> Setback? {
        try await executor.query("select s.first_at, s.last_at, s.families, s.ahead from setback s").first
            .map(Setback.init)
    }

    /// What there was; the next proof begins anew.
    @discardableResult
    public static func settle(in executor: some SQLExecutor) async throws -> Setback? {
        try await executor.query("delete from setback returning first_at, last_at, families, ahead").first
            .map(Setback.init)
    }

    private init(_ row: Row) throws {
        (firstAt, lastAt) = (try row("first_at"), try row("last_at"))
        (families, ahead) = (Int(try row("families", as: Int64.self)), Int(try row("ahead", as: Int32.self)))
    }

    public var json: JSONObject {
        [
            "first_at": .string(firstAt.rfc3339), "last_at": .string(lastAt.rfc3339), "families": .integer(families),
            "ahead": .integer(ahead),
        ]
    }
}

/// Notes proofs, and tells of them.
final class SetbackAlarm: Sendable {
    /// Of one line in the log and the next: after a restore every client that comes brings a proof.
    private static let silence: TimeInterval = 60

    private let database: Database
    private let clock: WallClock
    private let logger: Logger
    private let proofs = Counter(label: "pando_database_setbacks_total")
    private let told = Mutex<Date?>(nil)

    init(database: Database, clock: WallClock, logger: Logger) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    /// A token of `family` was `ahead` rotations ahead of its row, and the row has caught up. Where this cannot be
    /// written it is told all the same: the rotation has been committed.
    func note(_ family: NodeID, ahead: Int32) async {
        let now = clock.now()
        proofs.increment()
        let isDue = told.withLock { told in
            if let last = told, abs(now.timeIntervalSince(last)) < SetbackAlarm.silence { return false }
            told = now
            return true
        }
        if isDue {
            logger.error(
                """
                the database went back: a refresh token is ahead of its row, so commits were lost, revocations among \
                them perhaps. See docs/high-availability.md; `pando doctor` tells until it is settled
                """, metadata: ["family": "\(family)", "ahead": "\(ahead)"])
        }
        do {
            _ = try await database.execute(
                """
                insert into setback as s (first_at, last_at, families, ahead) values (\(now), \(now), 1, \(ahead))
                on conflict (sole) do update set last_at = greatest(s.last_at, excluded.last_at),
                    families = s.families + 1, ahead = greatest(s.ahead, excluded.ahead)
                """)
        } catch {
            logger.error("that the database went back is not written down", metadata: ["error": "\(error)"])
        }
    }
}
