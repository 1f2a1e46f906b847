import Base
import Database
import Foundation
import Keys
import Logging
import TokenTree
import Vocabulary

/// Empties the outbox: one Security Event Token (RFC 8417) per row, pushed (RFC 8935), in order per service, until
/// acknowledged.
public struct EventSender: Sendable {
    /// POSTs a body of type `application/secevent+jwt`; gives the status. Bounds its own time.
    public typealias Push = @Sendable (_ url: String, _ body: String) async throws -> Int

    /// POSTs a form to a revocation endpoint (RFC 7009). Bounds its own time.
    public typealias Call = @Sendable (_ url: String, _ form: String) async throws -> CallAnswer

    /// How long a claimed service is left to its worker; a killed one loses nothing but this time.
    static let lease: TimeInterval = 12
    /// How long events of one service follow one another before it gives its place to others.
    static let turn: TimeInterval = 1
    /// Half a second, doubling to five minutes.
    static let pause = RetryPause(first: 0.5, longest: 300)

    let database: Database
    let keys: SigningKeys
    let issuer: String
    let push: Push
    let calls: RevocationCalls
    let clock: WallClock
    let logger: Logger

    public init(
        database: Database, keys: SigningKeys, issuer: String, push: @escaping Push, call: @escaping Call, pace: Int,
        clock: WallClock, randomness: Randomness, logger: Logger
    ) {
        (self.database, self.keys, self.issuer, self.push, self.clock, self.logger) = (
            database, keys, issuer, push, clock, logger
        )
        calls = RevocationCalls(
            database: database, keys: keys, issuer: issuer, pace: pace, post: call, clock: clock,
            randomness: randomness)
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
        receivers: "select p.service as receiver from delivery p where p.acknowledged < p.last",
        rows: """
            delivery d where d.service = r.receiver and d.acknowledged < d.last
            and exists (select from outbox o where o.service = d.service and o.seq > d.acknowledged)
            and exists (select from service s where s.id = d.service and s.hears in ('push', 'revoke'))
            """,
        joins: "join service s on s.id = due.key",
        columns: "d.service, d.acknowledged, s.events_endpoint, s.base, s.hears, \(Hearing.endpoint) as hears_at",
        tally: .failures("failures"),
        // What came in while we sent is due at once, unless the service is to be called later.
        delivered: { "next_try = greatest(\($0), d.calls_from)" },
        matching: { row throws(DatabaseError) in "d.service = \(try row("service", as: String.self))" })

    /// One event after the other, until it is another service's turn.
    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let service: String = try row("service"), base: String = try row("base")
        let endpoint: String = try row("events_endpoint")
        var acknowledged: Int = try row("acknowledged")
        let end = clock.now().addingTimeInterval(EventSender.turn)
        let way: Hearing? = try row("hears"), revocationEndpoint: String? = try row("hears_at")
        if way == .revoke {
            guard let revocationEndpoint else { return .later("no revocation endpoint is known") }
            return try await call(service, at: revocationEndpoint, after: acknowledged, until: end)
        }
        while clock.now() < end, let event = try await next(service, after: acknowledged) {
            let status = try await push(endpoint, try await token(event, for: base))
            guard (200..<300).contains(status) else { return .later("HTTP status \(status)") }
            acknowledged = event.seq
            try await acknowledge(service, acknowledged)
        }
        return .delivered
    }

    /// As `send`, by calls.
    private func call(
        _ service: String, at endpoint: String, after acknowledged: Int, until end: Date
    ) async throws -> DeliveryOutcome {
        var acknowledged = acknowledged
        while clock.now() < end, let event = try await next(service, after: acknowledged) {
            let work = RevocationCalls.Work(
                service: service, endpoint: endpoint, seq: event.seq, node: event.node, calledAfter: event.calledAfter)
            switch try await calls.turn(work, until: end) {
            case .done: break
            case .resting: return .delivered
            case .failed(let reason): return .later(reason)
            }
            acknowledged = event.seq
            try await acknowledge(service, acknowledged)
        }
        return .delivered
    }

    private struct Event: Sendable {
        let seq: Int, jti: String, name: String, body: JSONObject, createdAt: Date
        let node: NodeID?, calledAfter: NodeID?
    }

    private func next(_ service: String, after seq: Int) async throws -> Event? {
        try await database.query(
            """
            select seq, jti, event, body, created_at, node, called_after from outbox where service = \(service) and seq > \(seq)
                order by seq limit 1
            """
        ).first.map { row in
            let body: JSONValue = try row("body")
            return Event(
                seq: try row("seq"), jti: try row("jti"), name: try row("event"), body: body.object ?? [:],
                createdAt: try row("created_at"), node: try row("node"), calledAfter: try row("called_after"))
        }
    }

    /// token-tree.md, "Reaching the services".
    private func token(_ event: Event, for base: String) async throws -> String {
        var body = event.body
        body["seq"] = .integer(event.seq)
        return try await keys.sign(
            type: JWTType.securityEvent.rawValue,
            claims: [
                "iss": .string(issuer), "aud": .string(base), "jti": .string(event.jti),
                "iat": .integer(event.createdAt.numericDate),
                "events": ["urn:pando:event:\(event.name)": .object(body)],
            ])
    }

    private func acknowledge(_ service: String, _ seq: Int) async throws {
        _ = try await database.batch([
            """
            update delivery set acknowledged = greatest(acknowledged, \(seq)), failures = 0, last_error = null
                where service = \(service)
            """,
            "delete from outbox where service = \(service) and seq <= \(seq)",
        ])
    }
}
