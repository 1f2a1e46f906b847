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
        public init(subject: String, free: Int, pause: TimeInterval) {
            (self.subject, self.free, self.pause) = (subject, free, pause)
        }
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Counts an attempt in one statement per step, before the answer is looked at: parallel guesses cannot pass. Gives
    /// the seconds to wait when one of the steps is at a pause; then nothing is counted.
    public func count(_ steps: [Step], in executor: any SQLExecutor) async throws -> Int? {
        let now = clock.now()
        let counted = try await executor.batch(AttemptLimit.inOrder(steps).map { counting($0, at: now) })
        guard counted.contains(where: \.isEmpty) else { return nil }
        return try await pause(of: steps, at: now, in: executor)
    }

    private func counting(_ step: Step, at now: Date) -> SQL {
        let hourAgo = now.addingTimeInterval(-3_600)
        return """
            insert into attempt as a (subject, failures, last_at) values (\(step.subject), 1, \(now))
            on conflict (subject) do update set last_at = \(now),
                failures = case when a.last_at < \(hourAgo) then 1 else a.failures + 1 end,
                blocked_until = case when a.last_at >= \(hourAgo) and a.failures + 1 > \(step.free)
                    then \(now)::timestamptz + least(\(step.pause) * 2 ^ least(a.failures - \(step.free), 20),
                        3600) * interval '1 second' end
            where a.blocked_until is null or a.blocked_until <= \(now)
            returning subject, blocked_until::text as blocked_until
            """
    }

    /// Seconds.
    private func pause(of steps: [Step], at now: Date, in executor: any SQLExecutor) async throws -> Int {
        let rows = try await executor.query(
            "select max(blocked_until) as until from attempt where subject = any (\(steps.map(\.subject)))")
        let until: Date? = try rows.first?("until")
        return max(1, Int((until ?? now).timeIntervalSince(now).rounded(.up)))
    }

    /// One attempt that was counted, and the pause that it brought about, as PostgreSQL writes it.
    public struct Counted: Sendable {
        let subject: String
        let pausedUntil: String?
    }

    public enum Count: Sendable {
        case counted(Counted)
        /// Nothing was counted.
        case paused(seconds: Int)
    }

    /// As above, for an attempt that can be taken back.
    public func count(_ step: Step, in executor: any SQLExecutor) async throws -> Count {
        let now = clock.now()
        if let row = try await executor.query(counting(step, at: now)).first {
            return .counted(Counted(subject: step.subject, pausedUntil: try row("blocked_until")))
        }
        return .paused(seconds: try await pause(of: [step], at: now, in: executor))
    }

    /// Takes one attempt back and the pause that it brought about, where that still is the one: wrong attempts before,
    /// meanwhile and after stay counted. For what somebody can answer rightly at will, which therefore says nothing
    /// about their other answers.
    public func takeBack(_ attempt: Counted, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            update attempt set failures = greatest(failures - 1, 0),
                blocked_until = case when blocked_until::text is distinct
                    from \(attempt.pausedUntil) then blocked_until end
            where subject = \(attempt.subject)
            """)
    }

    /// The same for some that were counted at once, where nobody looked at the answer: wrong attempts before, and
    /// pauses that they brought about, stay.
    public func takeBack(_ steps: [Step], in executor: any SQLExecutor) async throws {
        _ = try await executor.batch(AttemptLimit.inOrder(steps).map(forgetting))
    }

    /// A right answer clears its own step; of the others it takes back only what it counted.
    public func forgive(_ step: Step, takingBack others: [Step], in executor: any SQLExecutor) async throws {
        let statements = AttemptLimit.inOrder([step] + others).map { one -> SQL in
            one.subject == step.subject ? "delete from attempt where subject = \(one.subject)" : forgetting(one)
        }
        _ = try await executor.batch(statements)
    }

    private func forgetting(_ step: Step) -> SQL {
        "update attempt set failures = greatest(failures - 1, 0) where subject = \(step.subject)"
    }

    /// As all take their rows: of two who come at once one waits, and neither for the other.
    private static func inOrder(_ steps: [Step]) -> [Step] { steps.sorted { $0.subject < $1.subject } }

    /// Drops what nobody has tried for an hour: by then it is counted from one again, and the longest pause is over.
    public func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from attempt where last_at < \(clock.now().addingTimeInterval(-3_600))")
    }
}
