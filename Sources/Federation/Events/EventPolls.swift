import Base
import Database
import Foundation
import Keys
import Synchronization

/// What a service asks when it polls (RFC 8936, 2.2).
public struct EventPoll: Sendable {
    /// `nil` leaves it to us.
    public let maxEvents: Int?
    public let returnImmediately: Bool
    /// By `jti`.
    public let acknowledged: [String]
    public let errors: [(jti: String, error: String)]

    public init(
        maxEvents: Int? = nil, returnImmediately: Bool = false, acknowledged: [String] = [],
        errors: [(jti: String, error: String)] = []
    ) {
        (self.maxEvents, self.returnImmediately) = (maxEvents, returnImmediately)
        (self.acknowledged, self.errors) = (acknowledged, errors)
    }
}

/// Events that services fetch: those that wait (RFC 8936), and those that were (docs/events.md).
///
/// A poll that finds nothing waits for the notification that senders wait for, too, and holds no connection to the
/// database meanwhile.
public final class EventPolls: Sendable {
    /// Seconds.
    public static let longestWait = 30
    /// Events in one answer.
    public static let mostEvents = 100
    public static let mostStored = 200
    /// Polls that wait: of one service, and in this process. What is beyond is answered at once.
    static let mostOfService = 2
    static let mostWaiting = 2_000

    private let database: Database
    private let tokens: EventTokens
    private let heartbeat: TimeInterval
    private let clock: WallClock
    private let randomness: Randomness
    private let board = ChangeBoard(channel: Outbox.channel)
    private let waiting = Mutex<[String: Int]>([:])

    /// `heartbeat`: seconds after which an empty answer has one again; 0 for none.
    public init(
        database: Database, keys: SigningKeys, issuer: String, heartbeat: TimeInterval, clock: WallClock,
        randomness: Randomness
    ) {
        (self.database, self.heartbeat, self.clock, self.randomness) = (database, heartbeat, clock, randomness)
        tokens = EventTokens(keys: keys, issuer: issuer)
    }

    /// Listens until cancelled. Without it, polls look again every few seconds.
    public func run() async { await board.run(on: database) }

    /// RFC 8936, 2.3: what was acknowledged is settled first, then what waits is told, the oldest first.
    public func answer(_ poll: EventPoll, of service: FederationService) async throws -> JSONObject {
        if !poll.acknowledged.isEmpty || !poll.errors.isEmpty {
            let dead = poll.errors.map { EventSettlement.Dead($0.jti, because: $0.error) }
            _ = try await database.batch(
                EventSettlement.settle(service.id, acknowledged: poll.acknowledged, dead: dead, at: clock.now()))
        }
        let most = min(poll.maxEvents ?? EventPolls.mostEvents, EventPolls.mostEvents)
        var found = try await unsettled(service.id, limit: most + 1)
        guard most > 0 else { return EventPolls.json([], isMore: !found.isEmpty) }
        if found.isEmpty, !poll.returnImmediately, take(service.id) {
            defer { giveBack(service.id) }
            found = try await board.wait(
                for: service.id, unlike: Waiting(events: []).etag, within: EventPolls.longestWait, clock: clock
            ) {
                Waiting(events: try await unsettled(service.id, limit: most + 1))
            }.events
        }
        if found.isEmpty, let beat = try await beat(for: service) { return EventPolls.json([beat], isMore: false) }
        return EventPolls.json(try await sets(found.prefix(most), service), isMore: found.count > most)
    }

    /// Events again whose number is above `after`, settled or not, for as long as they are kept; the first first.
    public func stored(after: Int, limit: Int, for service: FederationService) async throws -> JSONObject {
        let found = try await StoredEvent.missed(
            by: service.id, after: after, through: .max, limit: limit + 1, in: database)
        return EventPolls.json(try await sets(found.prefix(limit), service), isMore: found.count > limit)
    }

    // MARK: Reading

    private struct Waiting: WaitedFor {
        let events: [StoredEvent]

        var etag: String { events.isEmpty ? "none" : "some" }
        var changesAt: Date? { nil }
    }

    private func unsettled(_ service: String, limit: Int) async throws -> [StoredEvent] {
        try await database.query(
            """
            select \(StoredEvent.columns) from outbox o where o.service = \(service) and o.settled_at is null
            order by o.seq limit \(limit)
            """
        ).map { try StoredEvent($0) }
    }

    private typealias Written = (jti: String, token: String)

    private func sets(
        _ events: some Sequence<StoredEvent>, _ service: FederationService
    ) async throws -> [Written] {
        var written: [Written] = []
        for event in events { written.append((event.jti, try await tokens.token(event, for: service.base))) }
        return written
    }

    /// One, where it is time for it; the time is read before the number.
    private func beat(for service: FederationService) async throws -> Written? {
        guard heartbeat > 0, !Task.isCancelled else { return nil }
        let now = clock.now()
        let latest: Int? = try await database.query(
            """
            update delivery set polled_heartbeat_at = \(now) where service = \(service.id)
                and (polled_heartbeat_at is null or polled_heartbeat_at <= \(now.addingTimeInterval(-heartbeat)))
            returning last
            """
        ).first.map { try $0("last") }
        guard let latest else { return nil }
        let jti = randomness.identifier()
        return (jti, try await tokens.heartbeat(jti, latest: latest, at: now, for: service.base))
    }

    private static func json(_ sets: [Written], isMore: Bool) -> JSONObject {
        [
            "sets": .object(JSONObject(sets.map { ($0.jti, .string($0.token)) })), "moreAvailable": .bool(isMore),
        ]
    }

    // MARK: Places

    private func take(_ service: String) -> Bool {
        waiting.withLock { waiting in
            guard waiting[service, default: 0] < EventPolls.mostOfService,
                waiting.values.reduce(0, +) < EventPolls.mostWaiting
            else { return false }
            waiting[service, default: 0] += 1
            return true
        }
    }

    private func giveBack(_ service: String) {
        waiting.withLock { waiting in
            guard let count = waiting[service] else { return }
            waiting[service] = count > 1 ? count - 1 : nil
        }
    }
}
