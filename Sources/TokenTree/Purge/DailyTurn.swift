import Base
import Database
import Foundation

/// Housekeeping that reads much, and is therefore done once a day by one process of all: whoever comes first takes the
/// turn. Its row in `setting` is one for each name, for good.
///
/// What is forgotten does not come back, and how long something has been over is told by this process's clock. So one
/// whose clock is ahead of the database's takes no turn, as it drops no partition (`PartitionKeeper`).
public struct DailyTurn: Sendable {
    let name: String
    let database: Database
    let clock: WallClock
    let databaseClock: DatabaseClock

    /// Seconds by which a clock that is kept may be ahead.
    static let tolerance: TimeInterval = 60

    public init(_ name: String, database: Database, clock: WallClock, databaseClock: DatabaseClock) {
        (self.name, self.database) = ("purge.\(name)", database)
        (self.clock, self.databaseClock) = (clock, databaseClock)
    }

    /// Runs `body` where nobody has within a day. What fails, or says that there is more, has its turn again in the
    /// next round of housekeeping.
    /// - Parameter body: Is given what it said the last time, where there was more; gives from where to go on, and
    ///   `nil` where that was all.
    public func take(_ body: (_ place: JSONObject) async throws -> JSONObject?) async throws {
        let now = clock.now()
        guard now <= (try await databaseClock.now(database)).addingTimeInterval(DailyTurn.tolerance) else { return }
        guard let place = try await begin(at: now) else { return }
        do {
            if let next = try await body(place) { try await giveBack(taken: now, next) } else { try await keep([:]) }
        } catch {
            try await giveBack(taken: now, place)
            throw error
        }
    }

    /// `nil` where another has the turn.
    private func begin(at now: Date) async throws -> JSONObject? {
        try await database.query(
            """
            insert into setting as s (name, value, changed_at) values (\(name), '{}', \(now))
            on conflict (name) do update set changed_at = excluded.changed_at
                where s.changed_at <= \(now.addingTimeInterval(-86_400))
            returning value
            """
        ).first.map { try $0("value", as: JSONValue.self).object ?? [:] }
    }

    private func keep(_ place: JSONObject) async throws {
        _ = try await database.execute(
            "update setting set value = \(JSONValue.object(place)) where name = \(name)")
    }

    private func giveBack(taken: Date, _ place: JSONObject) async throws {
        _ = try await database.execute(
            """
            update setting set value = \(JSONValue.object(place)), changed_at = \(taken.addingTimeInterval(-86_400))
            where name = \(name) and changed_at = \(taken)
            """)
    }
}
