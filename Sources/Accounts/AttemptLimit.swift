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

    /// Counts an attempt in one statement per step, before the answer is looked at: parallel guesses cannot pass. Gives the seconds to wait when one of
    /// the steps is at a pause; then nothing is counted.
    public func count(_ steps: [Step], in executor: any SQLExecutor) async throws -> Int? {
        let now = clock.now(), hourAgo = now.addingTimeInterval(-3_600)
        let counted = try await executor.batch(steps.sorted { $0.subject < $1.subject }.map { step in
            """
            insert into attempt as a (subject, failures, last_at) values (\(step.subject), 1, \(now))
            on conflict (subject) do update set last_at = \(now),
                failures = case when a.last_at < \(hourAgo) then 1 else a.failures + 1 end,
                blocked_until = case when a.last_at >= \(hourAgo) and a.failures + 1 > \(step.free)
                    then \(now)::timestamptz + least(\(step.pause) * 2 ^ least(a.failures - \(step.free), 20), 3600) * interval '1 second' end
            where a.blocked_until is null or a.blocked_until <= \(now)
            returning subject
            """
        })
        guard counted.contains(where: \.isEmpty) else { return nil }
        let rows = try await executor.query("select max(blocked_until) as until from attempt where subject = any (\(steps.map(\.subject)))")
        let until: Date? = try rows.first?("until")
        return max(1, Int((until ?? now).timeIntervalSince(now).rounded(.up)))
    }

    /// A right answer clears its own step; of the others it takes back only what it counted.
    public func forgive(_ step: Step, takingBack others: [Step], in executor: any SQLExecutor) async throws {
        _ = try await executor.batch([
            "delete from attempt where subject = \(step.subject)",
            "update attempt set failures = greatest(failures - 1, 0) where subject = any (\(others.map(\.subject)))",
        ])
    }

    /// Drops what nobody has tried for a day.
    public func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from attempt where last_at < \(clock.now().addingTimeInterval(-86_400))")
    }
}
