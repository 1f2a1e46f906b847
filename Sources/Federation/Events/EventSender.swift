import Base
import Database
import Foundation
import Keys
import Logging
import Vocabulary

/// Empties the outbox: one Security Event Token (RFC 8417) per row, pushed (RFC 8935), in order per service, until acknowledged.
public struct EventSender: Sendable {
    /// POSTs a body of type `application/secevent+jwt`; gives the status. Bounds its own time.
    public typealias Push = @Sendable (_ url: String, _ body: String) async throws -> Int

    /// How long a claimed service is left to its worker; a killed one loses nothing but this time.
    static let lease: TimeInterval = 12
    static let pause = RetryPause(first: 0.5, longest: 300)

    let database: Database
    let keys: SigningKeys
    let issuer: String
    let push: Push
    let clock: WallClock
    let logger: Logger

    public init(database: Database, keys: SigningKeys, issuer: String, push: @escaping Push, clock: WallClock, logger: Logger) {
        (self.database, self.keys, self.issuer, self.push, self.clock, self.logger) = (database, keys, issuer, push, clock, logger)
    }

    private struct Pending: Sendable {
        let service: String, endpoint: String, base: String
        let acknowledged: Int
        let failures: Int
    }

    /// Until cancelled.
    public func run() async { await WakeLoop("events", in: database, channel: "pando_events", logger: logger) { try await sendDue() }.run() }

    /// Claims what is due and sends it, services side by side; how many services there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let now = clock.now()
        let claimed = try await database.query("""
            with due as (
                select d.service from delivery d join service s on s.id = d.service where d.acknowledged < d.last and d.next_try <= \(now)
                order by d.next_try limit 32 for update of d skip locked
            )
            update delivery d set next_try = \(now.addingTimeInterval(EventSender.lease)) from due, service s
            where d.service = due.service and s.id = d.service
            returning d.service, d.acknowledged, d.failures, s.events_endpoint, s.base
            """).map { row in
            Pending(service: try row("service"), endpoint: try row("events_endpoint"), base: try row("base"),
                    acknowledged: try row("acknowledged"), failures: try row("failures"))
        }
        await withTaskGroup(of: Void.self) { group in
            for pending in claimed { group.addTask { await send(pending) } }
        }
        return claimed.count
    }

    private func send(_ pending: Pending) async {
        var acknowledged = pending.acknowledged
        do {
            let deadline = clock.now().addingTimeInterval(EventSender.lease / 2)
            while clock.now() < deadline, let event = try await next(pending.service, after: acknowledged) {
                let status = try await push(pending.endpoint, try await token(event, for: pending))
                guard (200..<300).contains(status) else { return try await failed(pending, "HTTP status \(status)") }
                acknowledged = event.seq
                try await acknowledge(pending.service, acknowledged)
            }
            try await release(pending.service)
        } catch {
            try? await failed(pending, "\(error)")
        }
    }

    private struct Event: Sendable { let seq: Int, jti: String, name: String, body: JSONObject, createdAt: Date }

    private func next(_ service: String, after seq: Int) async throws -> Event? {
        try await database.query("""
            select seq, jti, event, body, created_at from outbox where service = \(service) and seq > \(seq) order by seq limit 1
            """).first.map { row in
            let body: JSONValue = try row("body")
            return Event(seq: try row("seq"), jti: try row("jti"), name: try row("event"), body: body.object ?? [:], createdAt: try row("created_at"))
        }
    }

    /// token-tree.md, "Reaching the services".
    private func token(_ event: Event, for pending: Pending) async throws -> String {
        var body = event.body
        body["seq"] = .integer(event.seq)
        return try await keys.sign(type: JWTType.securityEvent.rawValue, claims: [
            "iss": .string(issuer), "aud": .string(pending.base), "jti": .string(event.jti), "iat": .integer(event.createdAt.numericDate),
            "events": ["urn:pando:event:\(event.name)": .object(body)],
        ])
    }

    private func acknowledge(_ service: String, _ seq: Int) async throws {
        _ = try await database.batch([
            "update delivery set acknowledged = greatest(acknowledged, \(seq)), failures = 0, last_error = null where service = \(service)",
            "delete from outbox where service = \(service) and seq <= \(seq)",
        ])
    }

    /// What came in while we sent is due at once.
    private func release(_ service: String) async throws {
        _ = try await database.execute("update delivery set next_try = \(clock.now()) where service = \(service)")
    }

    /// Half a second, doubling to five minutes.
    private func failed(_ pending: Pending, _ error: String) async throws {
        let next = clock.now().addingTimeInterval(EventSender.pause.after(pending.failures))
        _ = try await database.execute("""
            update delivery set failures = failures + 1, last_error = \(String(error.prefix(200))), next_try = \(next)
            where service = \(pending.service)
            """)
        logger.info("event not delivered", metadata: ["service": "\(pending.service)", "failures": "\(pending.failures + 1)"])
    }
}
