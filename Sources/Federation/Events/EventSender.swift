import Base
import Database
import Foundation
import Keys
import Logging
import Metrics
import TokenTree

/// Empties the outbox: one Security Event Token (RFC 8417) per row, pushed (RFC 8935), in order per service, until it
/// is acknowledged, be it by a poll meanwhile, or given up.
public struct EventSender: Sendable {
    /// POSTs a body of type `application/secevent+jwt`; gives status and body. Bounds its own time.
    public typealias Push = @Sendable (_ url: String, _ body: String) async throws -> (status: Int, body: [UInt8])

    /// POSTs a form to a revocation endpoint (RFC 7009). Bounds its own time.
    public typealias Call = @Sendable (_ url: String, _ form: String) async throws -> CallAnswer

    /// How long a claimed service is left to its worker; a killed one loses nothing but this time.
    static let lease: TimeInterval = 12
    /// How long events of one service follow one another before it gives its place to others.
    static let turn: TimeInterval = 1
    /// Half a second, doubling to five minutes.
    static let pause = RetryPause(first: 0.5, longest: 300)

    let database: Database
    let tokens: EventTokens
    let patience: TimeInterval
    let streams: StreamCourses?
    let push: Push
    let calls: RevocationCalls
    let clock: WallClock
    let databaseClock: DatabaseClock
    let logger: Logger

    /// `patience`: seconds for which an event is tried, by both clocks. Without `streams` all leaves as it is told
    /// natively. `metrics`: `nil` is the process's.
    public init(
        database: Database, keys: SigningKeys, issuer: String, patience: TimeInterval = 7 * 86_400, pace: Int = 10,
        streams: StreamCourses? = nil, push: @escaping Push, call: @escaping Call, clock: WallClock,
        databaseClock: DatabaseClock = .ofServer, randomness: Randomness, metrics: (any MetricsFactory)? = nil,
        logger: Logger
    ) {
        (self.database, self.patience, self.push, self.clock, self.logger) = (database, patience, push, clock, logger)
        (self.streams, self.databaseClock) = (streams, databaseClock)
        tokens = EventTokens(keys: keys, issuer: issuer)
        calls = RevocationCalls(
            database: database, keys: keys, issuer: issuer, pace: pace, patience: patience, post: call,
            clock: clock, randomness: randomness, metrics: CallMetrics(factory: metrics))
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// Claims what is due and sends it, services side by side; how many services there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    /// One row a service, and one attempt of it at once: so its events keep their order.
    private var queue: DeliveryQueue {
        DeliveryQueue(
            "events", EventSender.table, in: database, channel: Outbox.channel,
            limits: DeliveryLimits(share: 1), lease: EventSender.lease, pause: EventSender.pause,
            clock: clock, logger: logger, send: send)
    }

    private static let table = DeliveryTable(
        "delivery", key: "service",
        // Without those that poll: many may wait at any time, and would be looked through at each claim.
        receivers: """
            select p.service as receiver from delivery p join service q on q.id = p.service
            left join event_stream f on f.service = q.id and f.status <> 'disabled'
            where p.acknowledged < p.last
                and case when f.id is null then q.hears in ('push', 'revoke') else f.method = 'push' end
            """,
        rows: """
            delivery d where d.service = r.receiver and d.acknowledged < d.last
            and exists (select from outbox o where o.service = d.service and o.settled_at is null)
            and \(StreamCourses.isSent)
            """,
        joins: "join service s on s.id = due.key",
        columns: "d.service, s.events_endpoint, s.base, s.hears, \(Hearing.endpoint) as hears_at",
        tally: .failures("failures"),
        // What came in while we sent is due at once, unless the service is to be called later.
        delivered: { "next_try = greatest(\($0), d.calls_from)" },
        matching: { row throws(DatabaseError) in "d.service = \(try row("service", as: String.self))" })

    /// One event after the other, until it is another service's turn. One that nobody took in time is given up, and the
    /// next one tried at once; where that fails too, and is as old, the receiver takes none: then all that are as old
    /// are given up. An attempt takes five seconds at most, so there is time for two of them in a lease.
    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let service: String = try row("service"), base: String = try row("base")
        let endpoint: String = try row("events_endpoint")
        var course = try await course(service, base: base, endpoint: endpoint)
        let end = clock.now().addingTimeInterval(EventSender.turn)
        let way: Hearing? = try row("hears"), revocationEndpoint: String? = try row("hears_at")
        if !course.isStream, way == .revoke {
            guard let revocationEndpoint else { return .later("no revocation endpoint is known") }
            return try await call(service, at: revocationEndpoint, until: end)
        }
        var hasGivenUp = false
        // A stream that has gone since takes this turn along: what is next may go another way, or wait for a poll.
        let isPushed = { (course: EventCourse) in course.isStream || way == .push }
        guard isPushed(course) else { return .delivered }
        while clock.now() < end || hasGivenUp, let event = try await next(service, through: course.through) {
            let token = try await course.token(event)
            let refusal = if let token { await refusal { try await course.push(token) } } else { Refusal?.none }
            guard let refusal else {
                try await write(
                    EventSettlement.settle(service, acknowledged: [event.jti], isPushed: token != nil, at: now))
                hasGivenUp = false
                if course.isStream { course = try await self.course(service, base: base, endpoint: endpoint) }
                guard isPushed(course) else { return .delivered }
                continue
            }
            guard await isGivenUp(event) else { return try refusal.outcome() }
            log(event.jti, of: service, isGivenUpFor: refusal.text)
            guard !hasGivenUp else {
                let limit = now.addingTimeInterval(-patience)
                try await write(
                    EventSettlement.giveUp(service, triedBefore: limit, because: refusal.text, at: now))
                return try refusal.outcome()
            }
            try await write(
                EventSettlement.settle(service, dead: [.init(event.jti, because: refusal.text)], at: now))
            hasGivenUp = true
        }
        return .delivered
    }

    // MARK: Calling

    /// As `send`, by calls: what nobody has taken in time, counted from the last call that was taken, is given up.
    private func call(_ service: String, at endpoint: String, until end: Date) async throws -> DeliveryOutcome {
        while clock.now() < end, let work = try await calls.next(service, at: endpoint) {
            switch try await calls.turn(work, until: end) {
            case .done:
                try await write(
                    EventSettlement.settle(service, acknowledged: [work.event.jti], isPushed: true, at: now))
            case .resting: return .delivered
            case .unknown(let why):
                log(work.event.jti, of: service, isGivenUpFor: why)
                let dead = EventSettlement.Dead(work.event.jti, because: why)
                try await write(EventSettlement.settle(service, dead: [dead], at: now))
            case .failed(let text, let error):
                if await isGivenUp(work.event) {
                    log(work.event.jti, of: service, isGivenUpFor: text)
                    let dead = EventSettlement.Dead(work.event.jti, because: text)
                    try await write(EventSettlement.settle(service, dead: [dead], at: now))
                }
                if let error { throw error }
                return .later(text)
            }
        }
        return .delivered
    }

    /// What failed, and has been tried for long enough. Nothing brings it back by itself, so a clock that is ahead
    /// gives up nothing; and one that was cut off by the end of this process says nothing about the receiver.
    private func isGivenUp(_ event: StoredEvent) async -> Bool {
        guard !Task.isCancelled, now.timeIntervalSince(event.triedFrom) >= patience,
            let theirs = try? await databaseClock.now(database)
        else { return false }
        return theirs.timeIntervalSince(event.triedFrom) >= patience
    }

    private func log(_ jti: String, of service: String, isGivenUpFor reason: String) {
        logger.warning(
            "an event is given up",
            metadata: ["service": "\(service)", "jti": "\(jti)", "reason": "\(reason.prefix(200))"])
    }

    private var now: Date { clock.now() }

    private func write(_ statements: [SQL]) async throws { _ = try await database.batch(statements) }

    private func course(_ service: String, base: String, endpoint: String) async throws -> EventCourse {
        let push = push
        let native = EventCourse.native(tokens, base: base) { try await push(endpoint, $0) }
        return try await streams?.course(of: service, otherwise: native) ?? native
    }

    private func next(_ service: String, through last: Int?) async throws -> StoredEvent? {
        try await database.query(
            """
            select \(StoredEvent.columns) from outbox o where o.service = \(service) and o.settled_at is null
                and (\(last)::bigint is null or o.seq <= \(last))
            order by o.seq limit 1
            """
        ).first.map { try StoredEvent($0) }
    }

    // MARK: Pushing

    private struct Refusal {
        let text: String
        /// There was no answer.
        let error: (any Error)?

        func outcome() throws -> DeliveryOutcome {
            if let error { throw error }
            return .later(text)
        }
    }

    /// `nil` where the receiver has taken it.
    private func refusal(_ push: () async throws -> (status: Int, body: [UInt8])) async -> Refusal? {
        do {
            let answer = try await push()
            guard !(200..<300).contains(answer.status) else { return nil }
            return Refusal(text: EventSender.reason(answer.status, answer.body), error: nil)
        } catch {
            return Refusal(text: "\(error)", error: error)
        }
    }

    /// RFC 8935, 2.4: a receiver says what is wrong. Its mistake may be mended, so the event is tried again.
    private static func reason(_ status: Int, _ body: [UInt8]) -> String {
        guard status == 400, let json = try? JSONReader.read(body), let code = json["err"]?.string else {
            return "HTTP status \(status)"
        }
        let more = json["description"]?.string.map { ", \($0)" } ?? ""
        return EventSettlement.kept("HTTP status 400: \(code)\(more)")
    }
}
