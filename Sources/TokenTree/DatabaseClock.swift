import Base
import Database
import Foundation

/// The time of day as the database has it, beside this process's own (`WallClock`): what cannot be undone asks both.
public struct DatabaseClock: Sendable {
    public let now: @Sendable (Database) async throws -> Date

    public init(now: @escaping @Sendable (Database) async throws -> Date) { self.now = now }

    public static let ofServer = DatabaseClock { database in
        let row = try await database.query("select clock_timestamp() as now").first
        guard let now: Date = try row?("now") else { throw DatabaseError.unavailable("it tells no time") }
        return now
    }

    /// As a process's: tests set both at once.
    public static func following(_ clock: WallClock) -> DatabaseClock { DatabaseClock { _ in clock.now() } }

    /// By how many seconds the database is ahead of `clock`, to within half of a round trip.
    public func skew(from clock: WallClock, _ database: Database) async throws -> TimeInterval {
        let before = clock.now(), theirs = try await now(database), after = clock.now()
        return theirs.timeIntervalSince(before + after.timeIntervalSince(before) / 2)
    }
}
