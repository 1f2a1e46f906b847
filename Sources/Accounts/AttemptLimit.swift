import Base
import Database
import Foundation

/// How many wrong answers are taken before a pause (api.md: per account and instance, never by address alone).
public struct AttemptLimit: Sendable {
    public struct Step: Sendable {
        let subject: String
        let free: Int
        let pause: TimeInterval

        /// After `free` failures each further one doubles a pause that begins with `pause` seconds and ends at an hour.
        public init(subject: String, free: Int, pause: TimeInterval) { (self.subject, self.free, self.pause) = (subject, free, pause) }
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Seconds to wait before the next attempt of any of these; `nil` when it may be made now.
    public func wait(_ steps: [Step], in executor: any SQLExecutor) async throws -> Int? {
        let rows = try await executor.query("select max(blocked_until) as until from attempt where subject = any (\(steps.map(\.subject)))")
        guard let until: Date = try rows.first?("until"), until > clock.now() else { return nil }
        return max(1, Int(until.timeIntervalSince(clock.now()).rounded(.up)))
    }

    /// Counts before the answer is looked at, so that parallel guesses cannot pass; a right answer takes its count back.
    public func count(_ steps: [Step], in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.batch(steps.sorted { $0.subject < $1.subject }.map { step in
            """
            insert into attempt as a (subject, failures, last_at) values (\(step.subject), 1, \(now))
            on conflict (subject) do update set last_at = \(now),
                failures = case when a.last_at < \(now.addingTimeInterval(-3_600)) then 1 else a.failures + 1 end,
                blocked_until = case when a.last_at >= \(now.addingTimeInterval(-3_600)) and a.failures + 1 > \(step.free)
                    then \(now)::timestamptz + least(\(step.pause) * 2 ^ least(a.failures - \(step.free), 20), 3600) * interval '1 second' end
            """
        })
    }

    public func forgive(_ steps: [Step], in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from attempt where subject = any (\(steps.map(\.subject)))")
    }
}
