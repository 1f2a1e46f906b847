import Base
import Database
import Foundation
import Keys
import Logging
import Synchronization

/// Tells each active service every so often which number its newest event has, so that one that misses an event, or
/// hears nothing at all, knows it (docs/events.md, "Heartbeats"). Nothing of it is stored: one that fails is not sent
/// again, and holds up no event.
public final class EventHeartbeats: Sendable {
    /// Pushes under way in this process.
    static let most = 256
    /// Between two looks at whose turn it is, in seconds: the next one's turn, within these. A service that is new
    /// waits for the longest.
    private static let pauses: ClosedRange<TimeInterval> = 1...5

    private let database: Database
    private let tokens: EventTokens
    private let interval: TimeInterval
    private let push: EventSender.Push
    private let clock: WallClock
    private let randomness: Randomness
    private let logger: Logger
    private let underWay = Mutex(0)

    /// `interval` in seconds; 0 for none.
    public init(
        database: Database, keys: SigningKeys, issuer: String, interval: TimeInterval,
        push: @escaping EventSender.Push, clock: WallClock, randomness: Randomness, logger: Logger
    ) {
        (self.database, self.interval, self.push) = (database, interval, push)
        (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
        tokens = EventTokens(keys: keys, issuer: issuer)
    }

    /// Until cancelled.
    public func run() async {
        guard interval > 0 else { return await EventHeartbeats.rest() }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                var pause = EventHeartbeats.pauses.lowerBound
                do {
                    let claimed = try await claim()
                    for heartbeat in claimed.due { group.addTask { await self.send(heartbeat) } }
                    if let next = claimed.next {
                        pause = next.timeIntervalSince(clock.now()).within(EventHeartbeats.pauses)
                    }
                } catch {
                    logger.debug("heartbeats wait", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(pause))
            }
            group.cancelAll()
        }
    }

    /// One round; how many services there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        guard interval > 0 else { return 0 }
        let due = try await claim().due
        await withDiscardingTaskGroup { group in
            for heartbeat in due { group.addTask { await self.send(heartbeat) } }
        }
        return due.count
    }

    private static func rest() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    }

    private struct Heartbeat: Sendable {
        let service: String
        let base: String
        let endpoint: String
        let latest: Int
        let at: Date
    }

    /// Of two processes one takes a service. The time is read before the numbers are: as of it, the service's knowledge
    /// is complete when it has them all. `next` is when the next turn comes, in distant time where nobody has one;
    /// `nil` where there is no room for more now.
    private func claim() async throws -> (due: [Heartbeat], next: Date?) {
        let room = EventHeartbeats.most - underWay.withLock { $0 }, now = clock.now()
        guard room > 0 else { return ([], nil) }
        let results = try await database.batch([
            """
            with due as (
                select d.service from delivery d join service s on s.id = d.service
                where s.status = 'active' and s.hears = 'push' and \(StreamCourses.isNative)
                    and (d.heartbeat_at is null or d.heartbeat_at <= \(now.addingTimeInterval(-interval)))
                order by d.heartbeat_at nulls first limit \(room) for update of d skip locked
            )
            update delivery d set heartbeat_at = \(now) from due join service s on s.id = due.service
            where d.service = due.service returning d.service, d.last, s.base, s.events_endpoint
            """,
            """
            select min(coalesce(d.heartbeat_at, to_timestamp(0))) as last
            from delivery d join service s on s.id = d.service
            where s.status = 'active' and s.hears = 'push' and \(StreamCourses.isNative)
            """,
        ])
        let last = try results[1].first.flatMap { try $0("last", as: Date?.self) }
        let due = try results[0].map { row in
            Heartbeat(
                service: try row("service"), base: try row("base"), endpoint: try row("events_endpoint"),
                latest: try row("last"), at: now)
        }
        underWay.withLock { $0 += due.count }
        return (due, last?.addingTimeInterval(interval) ?? .distantFuture)
    }

    private func send(_ heartbeat: Heartbeat) async {
        defer { underWay.withLock { $0 -= 1 } }
        do {
            let token = try await tokens.heartbeat(
                randomness.identifier(), latest: heartbeat.latest, at: heartbeat.at, for: heartbeat.base)
            let answer = try await push(heartbeat.endpoint, token)
            guard (200..<300).contains(answer.status) else { return log(heartbeat, "HTTP status \(answer.status)") }
        } catch {
            log(heartbeat, "\(error)")
        }
    }

    private func log(_ heartbeat: Heartbeat, _ reason: String) {
        logger.debug(
            "a heartbeat was not taken", metadata: ["service": "\(heartbeat.service)", "reason": "\(reason)"])
    }
}

extension TimeInterval {
    fileprivate func within(_ range: ClosedRange<TimeInterval>) -> TimeInterval {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
