import Base
import Foundation
import Logging
import Synchronization
import Traces

/// What an attempt to deliver came to. One that throws had no answer: it is tried again, and the receiver counts as
/// late.
public enum DeliveryOutcome: Sendable, Equatable {
    /// Or there is nothing left to be told.
    case delivered
    case later(String)
    /// Nothing that a later try would change.
    case refused(String)
}

/// Empties one outbox, in as many processes as run it: claims what is due, sends it, and writes what came of it.
///
/// * A row is leased to the process that claims it. One that is killed loses nothing: when the lease has ended, another
///   sends the row, perhaps a second time. So receivers hear of everything at least once.
/// * Each receiver has a share of what is in flight at once, and late ones have places of their own
///   (`DeliveriesInFlight`): what one is to be told waits for nobody else.
/// * It wakes at notifications and when the next row is due. Should a notification be lost, it looks after
///   two minutes (`longestNap`); where none arrive at all, as behind a pooler of transactions, after `longestDeafNap`.
/// * Cancelled, it gives back what it could not finish, and ends.
public final class DeliveryQueue: Sendable {
    static let longestDeafNap = Duration.seconds(2)
    /// Where a row is due that somebody else has locked at this moment.
    private static let shortestNap = Duration.milliseconds(50)

    private let what: String
    private let table: DeliveryTable
    private let database: Database
    private let channel: String
    private let longestNap: Duration
    private let lease: TimeInterval
    private let pause: RetryPause
    private let clock: WallClock
    private let logger: Logger
    private let send: @Sendable (Row) async throws -> DeliveryOutcome
    private let share: Int
    private let inFlight: Mutex<DeliveriesInFlight>
    private let hears = Mutex(false)

    /// - Parameters:
    ///   - what: the rows, in the plural, for the log.
    ///   - channel: where is told of new rows.
    ///   - lease: longer than an attempt may take.
    ///   - send: makes one attempt with a row of the table's columns; bounds its own time.
    public init(
        _ what: String, _ table: DeliveryTable, in database: Database, channel: String,
        limits: DeliveryLimits = DeliveryLimits(), longestNap: Duration = .seconds(120), lease: TimeInterval,
        pause: RetryPause, clock: WallClock, logger: Logger,
        send: @escaping @Sendable (Row) async throws -> DeliveryOutcome
    ) {
        (self.what, self.table, self.database, self.channel) = (what, table, database, channel)
        self.longestNap = longestNap
        (self.lease, self.pause, self.clock, self.logger, self.send) = (lease, pause, clock, logger, send)
        share = limits.share
        inFlight = Mutex(DeliveriesInFlight(limits))
    }

    private struct Claimed: Sendable {
        let flight: Int
        let receiver: String
        let row: Row
        let match: SQL
        let leasedUntil: Date
    }

    /// Until cancelled.
    public func run() async {
        // One that is not yet taken stands for all that come after it.
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask { await self.listen(bell) }
            var wakes = stream.makeAsyncIterator(), backoff = Backoff()
            while !Task.isCancelled {
                do {
                    let (claimed, nap) = try await look()
                    for one in claimed { group.addTask { if await self.attempt(one) { bell.yield() } } }
                    backoff.succeeded()
                    guard nap > .zero else { continue }
                    let alarm = Task { if (try? await Task.sleep(for: nap)) != nil { bell.yield() } }
                    _ = await wakes.next()
                    alarm.cancel()
                } catch {
                    guard !Task.isCancelled else { break }
                    logger.warning("\(what) wait: the database does not answer", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: backoff.next())
                }
            }
            group.cancelAll()
        }
    }

    /// One round: claims what is due, at most 32 rows, and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let claimed = try await look().claimed
        await withDiscardingTaskGroup { group in
            for one in claimed { group.addTask { _ = await self.attempt(one) } }
        }
        return claimed.count
    }

    // MARK: Waking

    private func listen(_ bell: AsyncStream<Void>.Continuation) async {
        for await notification in database.listen(channel) {
            switch notification {
            case .listening: hears.withLock { $0 = true }
            case .lost: hears.withLock { $0 = false }
            case .payload: break
            }
            bell.yield()
        }
    }

    /// How long nothing will be due, if nobody tells of anything.
    private func nap(until due: Date?, hasClaimed: Bool) -> Duration {
        var nap = hears.withLock { $0 } ? longestNap : DeliveryQueue.longestDeafNap
        let now = ContinuousClock.now
        if let late = inFlight.withLock({ $0.nextLate(after: now) }) { nap = min(nap, late - now + .milliseconds(1)) }
        guard let due else { return nap }
        let left = due.timeIntervalSince(clock.now())
        // What is left of a claim is due at once; a row that could not be claimed is another's.
        guard left > 0 else { return hasClaimed ? .zero : DeliveryQueue.shortestNap }
        return min(nap, .seconds(left) + .milliseconds(1))
    }

    // MARK: Claiming and sending

    private func look() async throws -> (claimed: [Claimed], nap: Duration) {
        let claims = inFlight.withLock { $0.claims(at: .now) }, now = clock.now(), until = now.addingTimeInterval(lease)
        let answers = try await database.batch(
            claims.flatMap {
                [table.claim($0, share: share, until: until, now: now), table.next($0, now: now)]
            })
        var rows: [(receiver: String, row: Row, match: SQL)] = [], due: [Date] = []
        for (index, answer) in answers.enumerated() {
            for row in answer {
                if index.isMultiple(of: 2) {
                    rows.append((try row("receiver"), row, try table.matching(row)))
                } else if let next: Date = try row("next") {
                    due.append(next)
                }
            }
        }
        let claimed = inFlight.withLock { inFlight in
            rows.map {
                let flight = inFlight.begin($0.receiver, at: .now)
                return Claimed(flight: flight, receiver: $0.receiver, row: $0.row, match: $0.match, leasedUntil: until)
            }
        }
        return (claimed, nap(until: due.min(), hasClaimed: !claimed.isEmpty))
    }

    /// Whether there is reason to look again. In a trace of its own: what asked for it is over.
    private func attempt(_ claimed: Claimed) async -> Bool {
        await Phase.root("deliver \(what)", .consumer) { await attemptNow(claimed) }
    }

    private func attemptNow(_ claimed: Claimed) async -> Bool {
        var isAnswered = true, outcome: DeliveryOutcome
        do {
            outcome = try await Phase.run("send") { try await send(claimed.row) }
        } catch {
            (isAnswered, outcome) = (false, .later("\(error)"))
        }
        await write(!isAnswered && Task.isCancelled ? release(claimed) : settle(claimed, outcome))
        let wasFull = inFlight.withLock { $0.end(claimed.flight, isAnswered: isAnswered, at: .now) }
        return wasFull || outcome != .delivered
    }

    private func release(_ claimed: Claimed) -> SQL {
        table.release(claimed.match, leasedUntil: claimed.leasedUntil, at: clock.now())
    }

    private func settle(_ claimed: Claimed, _ outcome: DeliveryOutcome) -> SQL {
        switch outcome {
        case .delivered: return table.delivered(claimed.match, at: clock.now())
        case .refused(let reason): return giveUp(claimed, reason)
        case .later(let reason):
            let since: Date? = (try? claimed.row("since")) ?? nil, now = clock.now()
            if let patience = table.patience, let since, now.timeIntervalSince(since) >= patience.lasts {
                return giveUp(claimed, reason)
            }
            let tally: Int = (try? claimed.row("tally")) ?? 0
            log(.info, "not delivered", claimed, reason)
            let next = now.addingTimeInterval(pause.after(tally))
            return table.postpone(
                claimed.match, leasedUntil: claimed.leasedUntil, to: next, because: DeliveryQueue.brief(reason))
        }
    }

    private func giveUp(_ claimed: Claimed, _ reason: String) -> SQL {
        log(.warning, "given up", claimed, reason)
        return table.giveUp(claimed.match, leasedUntil: claimed.leasedUntil, because: DeliveryQueue.brief(reason))
    }

    /// In a task of its own, which is not cancelled with the worker: what came of an attempt is written all the same.
    private func write(_ sql: SQL) async {
        let failure = await Task { await failed(sql) }.value
        if let failure { logger.warning("\(what): an outcome was not written", metadata: ["error": "\(failure)"]) }
    }

    private func failed(_ sql: SQL) async -> DatabaseError? {
        do {
            _ = try await database.execute(sql)
            return nil
        } catch {
            return error
        }
    }

    /// Without the query of a receiver that is known by its address, which may hold a secret.
    private func log(_ level: Logger.Level, _ message: String, _ claimed: Claimed, _ reason: String) {
        let receiver = claimed.receiver.prefix { $0 != "?" }, reason = DeliveryQueue.brief(reason)
        logger.log(level: level, "\(what): \(message)", metadata: ["receiver": "\(receiver)", "reason": "\(reason)"])
    }

    private static func brief(_ reason: String) -> String { String(reason.prefix(200)) }
}
