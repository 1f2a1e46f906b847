import Base
import Foundation
import Logging
import Metrics
import Synchronization

/// A standby that is asked in place of the primary, where an answer may be a bounded time old (docs/read-replicas.md).
///
/// How old it is nobody's clock says: this process writes a number at the primary and looks for it at the standby. When
/// it is there, so is all that was committed before the number was sent. A standby of another history, one that was
/// paused or promoted, never shows it, and is not asked. While nobody reads nothing is written. Each answer is read
/// together with the number (`ProvenStandby`), since of several hosts the next connection may be another one's.
///
/// What writes, locks, or must be as of now is never asked here.
public final class ReadReplica: Sendable {
    /// Numbers of which it is remembered when they were sent: four in `mostLag` are, so older ones prove nothing.
    private static let remembered = 64
    /// The most that a command waits for the standby to show a number, however far it may lag.
    private static let commandPatience = Duration.seconds(2)
    /// For how long it goes on without being asked.
    private static let patience = Duration.seconds(10)
    /// Seconds for which the row of a process is kept that did not take it away.
    private static let kept: TimeInterval = 3_600
    private static let pauses: ClosedRange<Duration> = .milliseconds(2)...(.milliseconds(50))

    private struct State {
        var askedAt: ContinuousClock.Instant?
        var number = 0
        /// When the last numbers were sent.
        var sent: [Int: ContinuousClock.Instant] = [:]
        /// The standby has what was committed before.
        var provenAt: ContinuousClock.Instant?
        var wroteAt: ContinuousClock.Instant?
        var isFollowing = false
    }

    /// The standby's own pool. Statements there have less time than at the primary, which is asked when they fail.
    public let database: Database
    private let primary: Database
    private let mostLag: Duration
    private let id = Randomness.system.uuid()
    private let state = Mutex(State())
    private let logger: Logger
    private let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let fromReplica = Counter(label: "pando_replica_reads_total", dimensions: [("source", "replica")])
    private let fromPrimary = Counter(label: "pando_replica_reads_total", dimensions: [("source", "primary")])

    /// An answer has at least what was committed `mostLag` before it was asked for.
    public init(_ database: Database, of primary: Database, mostLag: Duration, logger: Logger) {
        (self.database, self.primary, self.mostLag, self.logger) = (database, primary, mostLag, logger)
    }

    /// `forCommand`: nobody waits for a page, and what is listed may be long.
    public static func settings(
        _ connectionString: String, connections: Int, forCommand isForCommand: Bool = false
    ) -> Database.Settings {
        var settings = Database.Settings(
            connectionString: connectionString, connections: connections, statementTimeout: isForCommand ? 600 : 2,
            connectTimeout: 1.5, waitLimit: 1.5)
        settings.isPrimary = false
        return settings
    }

    // MARK: Asking

    /// By the standby where it is known to be young enough, else by the primary; which is also asked where the standby
    /// fails, as where a statement there is in the way of what it has to apply, and where `body` refuses by what it
    /// read there: what the standby lacks yet may be at the primary.
    ///
    /// `since`: what was committed before is wanted, however lately that was.
    nonisolated(nonsending) public func read<Value>(
        since instant: ContinuousClock.Instant? = nil, _ body: (any SQLExecutor) async throws -> Value
    ) async throws -> Value {
        if let value = try await ask(since: instant, body) { return value }
        return try await body(primary)
    }

    /// `nil` where it is not known to be young enough, or fails.
    nonisolated(nonsending) public func ask<Value>(
        since instant: ContinuousClock.Instant? = nil, _ body: (any SQLExecutor) async throws -> Value
    ) async throws -> Value? {
        let now = ContinuousClock.now
        guard isYoung(since: instant, at: now) else {
            fromPrimary.increment()
            return nil
        }
        do {
            let value = try await body(standby(since: instant, at: now))
            fromReplica.increment()
            return value
        } catch DatabaseError.cancelled {
            throw DatabaseError.cancelled
        } catch let error where !(error is CancellationError) {
            logger.debug("the read replica did not answer", metadata: ["error": "\(error)"])
            fromPrimary.increment()
            return nil
        }
    }

    /// As `read`, with what this process has written as it last said (`wrote`); in a process that follows nothing the
    /// standby is first found out about.
    nonisolated(nonsending) public func readOwnWrites<Value>(
        _ body: (any SQLExecutor) async throws -> Value
    ) async throws -> Value {
        let (isFollowing, wroteAt) = state.withLock { ($0.isFollowing, $0.wroteAt) }
        guard !isFollowing else { return try await read(since: wroteAt, body) }
        try? await beat(within: min(mostLag, ReadReplica.commandPatience))
        do {
            let value = try await read(since: wroteAt, body)
            await end()
            return value
        } catch {
            await end()
            throw error
        }
    }

    /// Somebody has changed something here, and may look at it next.
    public func wrote() { state.withLock { $0.wroteAt = .now } }

    /// Notes that somebody asks. The first one wakes who finds out, and is answered by the primary.
    private func isYoung(since instant: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> Bool {
        let (isYoung, isFirst) = state.withLock { state in
            let isFirst = state.askedAt == nil
            state.askedAt = now
            return (isEnough(state.provenAt, since: instant, at: now), isFirst)
        }
        if isFirst { bell.yield() }
        return isYoung
    }

    private func isEnough(
        _ proven: ContinuousClock.Instant?, since instant: ContinuousClock.Instant?, at now: ContinuousClock.Instant
    ) -> Bool {
        guard let proven, now - proven <= mostLag else { return false }
        return instant.map { proven >= $0 } ?? true
    }

    private func standby(since instant: ContinuousClock.Instant?, at now: ContinuousClock.Instant) -> ProvenStandby {
        ProvenStandby(database: database, number: shown) { number in
            self.state.withLock { self.isEnough($0.sent[number], since: instant, at: now) }
        }
    }

    private var shown: SQL { "select number from replica_beat where id = \(id)" }

    /// How long ago that was as of which the standby is known to be; `nil` where it is not known, or nobody asks.
    public var age: Duration? { state.withLock { state in state.provenAt.map { .now - $0 } } }

    // MARK: Finding out how old it is

    /// While anybody asks. Until cancelled.
    public func run() async {
        state.withLock { $0.isFollowing = true }
        var wakes = rings.makeAsyncIterator(), isTold = false
        let period = mostLag / 4
        while !Task.isCancelled, await wakes.next() != nil {
            while !Task.isCancelled, isAsked() {
                let begun = ContinuousClock.now
                try? await beat(within: period)
                let isBehind = (age ?? .seconds(3_600)) > mostLag
                if isBehind != isTold { tell(isBehind) }
                isTold = isBehind
                try? await Task.sleep(until: begun + period)
            }
            await Task { await self.end() }.value
        }
        state.withLock { $0.isFollowing = false }
    }

    private func tell(_ isBehind: Bool) {
        if isBehind {
            logger.warning(
                "the read replica is not young enough to be asked: the primary answers",
                metadata: ["most_lag": "\(mostLag)"])
        } else {
            logger.notice("the read replica is asked")
        }
    }

    private func isAsked() -> Bool {
        state.withLock { state in
            guard let askedAt = state.askedAt, ContinuousClock.now - askedAt < ReadReplica.patience else {
                state.askedAt = nil
                return false
            }
            return true
        }
    }

    /// Writes the next number, and looks for it at the standby until it is there or the time is over.
    private func beat(within time: Duration) async throws {
        let sent = ContinuousClock.now
        let number = state.withLock { state in
            state.number += 1
            state.sent[state.number] = sent
            state.sent[state.number - ReadReplica.remembered] = nil
            return state.number
        }
        _ = try await primary.execute(
            """
            insert into replica_beat as b (id, number, at) values (\(id), \(number), clock_timestamp())
            on conflict (id) do update set number = excluded.number, at = excluded.at
            """)
        var pause = ReadReplica.pauses.lowerBound
        while try await look() < number, .now - sent < time {
            try await Task.sleep(for: pause)
            pause = min(pause * 2, ReadReplica.pauses.upperBound)
        }
    }

    private func look() async throws -> Int {
        let row = try await database.query(shown).first
        let number: Int = try row?("number") ?? 0
        state.withLock { state in
            guard let sent = state.sent[number] else { return }
            state.provenAt = max(sent, state.provenAt ?? sent)
        }
        return number
    }

    /// Nobody asks any more.
    private func end() async {
        state.withLock { state in (state.provenAt, state.sent) = (nil, [:]) }
        _ = try? await primary.execute("delete from replica_beat where id = \(id)")
    }

    /// Rows of processes that ended without taking them away.
    public static func tidy(in primary: Database) async throws {
        _ = try await primary.execute(
            "delete from replica_beat where at < clock_timestamp() - \(kept) * interval '1 second'")
    }

    public func close() async { await database.close() }
}
