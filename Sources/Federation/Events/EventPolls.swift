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
    public static let mostStored = 1_000
    /// Polls, and questions for stored events, that wait: of one service, and in this process. What is beyond is
    /// answered at once.
    static let mostOfService = 2
    static let mostWaiting = 2_000

    /// Seconds by which an event's time may lie before that of one with a lower number: its time was read before it
    /// waited for its number, or by another process's clock.
    private static let disorder: TimeInterval = 900

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
        try await answer(poll, of: service.id, beat: { try await self.beat(for: service) }) { limit in
            try await self.sets(try await self.unsettled(service.id, limit: limit), service)
        }
    }

    /// The same of what `look` finds, the first ones, as they are told. `isWaiting`: something may come.
    func answer(
        _ poll: EventPoll, of service: String, isWaiting: Bool = true, beat: () async throws -> Written? = { nil },
        _ look: (_ limit: Int) async throws -> [Written]
    ) async throws -> JSONObject {
        if !poll.acknowledged.isEmpty || !poll.errors.isEmpty {
            let dead = poll.errors.map { EventSettlement.Dead($0.jti, because: $0.error) }
            _ = try await database.batch(
                EventSettlement.settle(service, acknowledged: poll.acknowledged, dead: dead, at: clock.now()))
        }
        let most = min(poll.maxEvents ?? EventPolls.mostEvents, EventPolls.mostEvents)
        var found = try await look(most + 1)
        guard most > 0 else { return EventPolls.json([], isMore: !found.isEmpty) }
        if found.isEmpty, isWaiting, !poll.returnImmediately, take(service) {
            defer { giveBack(service) }
            found = try await board.wait(
                for: service, unlike: Waiting(events: []).etag, within: EventPolls.longestWait, clock: clock
            ) {
                Waiting(events: try await look(most + 1))
            }.events
        }
        if found.isEmpty, let beat = try await beat() { return EventPolls.json([beat], isMore: false) }
        return EventPolls.json(Array(found.prefix(most)), isMore: found.count > most)
    }

    /// Events again, settled or not, for as long as they are kept; the first first. `latest` is the highest number that
    /// was given to the service when they were read: without `moreAvailable` there was nothing else up to it. With the
    /// seconds that were granted: `nil` where none were asked for, or all places are taken.
    ///
    /// Numbers below `after` alone are no reason to wait: they tell who asks that ours went back.
    public func stored(
        _ query: StoredEventsQuery, for service: FederationService
    ) async throws -> (answer: JSONObject, waited: Int?) {
        var page = try await page(query, of: service.id), waited = query.wait
        if let wait = query.wait, wait > 0, page.isAwaited {
            if take(service.id) {
                defer { giveBack(service.id) }
                page = try await board.wait(for: service.id, unlike: page.etag, within: wait, clock: clock) {
                    try await self.page(query, of: service.id)
                }
            } else {
                waited = nil
            }
        }
        let events = page.events, isMore = events.count > query.limit
        var answer = EventPolls.json(try await sets(events.prefix(query.limit), service), isMore: isMore)
        answer["latest"] = .integer(page.latest)
        return (answer, waited)
    }

    // MARK: Reading

    private struct Waiting: WaitedFor {
        let events: [Written]

        var etag: String { events.isEmpty ? "none" : "some" }
        var changesAt: Date? { nil }
    }

    private struct Page: WaitedFor {
        let latest: Int
        let events: [StoredEvent]
        /// Whether the next event is the next to be told.
        let isAwaited: Bool

        var etag: String { isAwaited ? "none" : "some" }
        var changesAt: Date? { nil }
    }

    /// Number and events by one statement, and so as of one moment.
    private func page(_ query: StoredEventsQuery, of service: String) async throws -> Page {
        // Thirty days of events may lie before it, so its beginning is looked for from the newest one back.
        let new: SQL =
            query.since.map {
                """
                and o.created_at >= \($0) and o.seq > coalesce((select e.seq from outbox e
                    where e.service = \(service) and e.created_at < \($0.addingTimeInterval(-EventPolls.disorder))
                    order by e.seq desc limit 1), 0)
                """
            } ?? ""
        let rows = try await database.query(
            """
            select d.last, f.seq is not null as is_found, f.seq, f.jti, f.event, f.body, f.node, f.created_at,
                f.tried_from
            from delivery d left join lateral (
                select \(StoredEvent.columns) from outbox o
                where o.service = d.service and o.seq > \(query.after) and \(StoredEvent.isNative) \(new)
                order by o.seq limit \(query.limit + 1)
            ) f on true
            where d.service = \(service) order by f.seq
            """)
        let latest: Int = try rows.first.map { try $0("last") } ?? 0
        let events = try rows.filter { try $0("is_found") }.map { try StoredEvent($0) }
        return Page(latest: latest, events: events, isAwaited: latest == query.after)
    }

    private func unsettled(_ service: String, limit: Int) async throws -> [StoredEvent] {
        try await database.query(
            """
            select \(StoredEvent.columns) from outbox o where o.service = \(service) and o.settled_at is null
                and \(StoredEvent.isNative)
            order by o.seq limit \(limit)
            """
        ).map { try StoredEvent($0) }
    }

    typealias Written = (jti: String, token: String)

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
