import Base
import Database
import Foundation
import Logging
import Push

/// Empties the outbox of pushes by a `DeliveryQueue`; each is tried until it is not worth telling any more.
public struct PhonePushSender: Sendable {
    /// How long a claimed push is left to its worker. One that is killed in the middle may send it twice.
    static let lease: TimeInterval = 20
    /// Two seconds, doubling to a minute.
    static let pause = RetryPause(first: 2, longest: 60)
    /// Of what is told about credentials.
    private static let longestRefusal = 200

    let service: OperationsService
    let delivery: PhonePushDelivery
    let logger: Logger
    private let metrics: PushMetrics

    public init(
        _ service: OperationsService, delivery: PhonePushDelivery, logger: Logger,
        metrics: PushMetrics = PushMetrics(product: "operations")
    ) {
        (self.service, self.delivery, self.logger, self.metrics) = (service, delivery, logger, metrics)
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    /// A push service takes those of all phones: one of the three that hangs leaves room to the others.
    private var queue: DeliveryQueue {
        DeliveryQueue(
            "pushes of operations", PhonePushSender.table, in: service.database,
            channel: PhonePushOutbox.channel, limits: DeliveryLimits(total: 96, share: 32),
            lease: PhonePushSender.lease, pause: PhonePushSender.pause,
            clock: service.clock, logger: logger, send: send)
    }

    /// What has no address any more waits for its end.
    private static let table = DeliveryTable(
        "phone_push", key: "id", receivers: "select unnest(array['apns', 'fcm', 'hms']) as receiver",
        rows: """
            phone_push d join phone_registration g on g.id = d.registration
            where g.push_platform = r.receiver and g.push_token is not null
            """,
        expires: "expires_at",
        joins: """
            join phone_push p on p.id = due.key join phone_registration g on g.id = p.registration
            left join phone_application_push c on c.application = g.application and c.provider = g.push_platform
            """,
        columns: """
            d.id, d.registration, d.payload, d.expires_at, g.push_platform, g.push_token, g.push_environment,
                g.owner = 'house' as of_server,
                (select a.app_id from phone_application a where a.id = g.application) as app_id,
                \(PushCredentialStore.columns)
            """,
        tally: .failures("failures"),
        matching: { row throws(DatabaseError) in "d.id = \(try row("id", as: String.self))" })

    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let message: JSONValue = try row("payload"), token: String = try row("push_token")
        let push = PhonePush(
            platform: try row("push_platform"), token: token, environment: try row("push_environment"),
            title: message["title"]?.string, body: message["body"]?.string, payload: message["payload"]?.object ?? [:],
            expiresAt: try row("expires_at"), credentials: try PushCredentialStore.opened(row, by: service.vault),
            isOfServer: try row("of_server"))
        switch try await metrics.recording(by: try row("receiver"), { try await delivery.deliver(push) }) {
        case .delivered: return .delivered
        case .addressGone:
            try await forget(token, of: try row("registration"))
            return .delivered
        case .refused(let reason):
            try await tell(reason, push.credentials)
            return .refused("\(reason), application \(try row("app_id", as: String.self))")
        case .later(let reason): return .later(reason)
        }
    }

    /// With the credentials, for their owner and the operator: a topic or a project that was mistyped. For one word a
    /// minute, so that a thousand phones are not a thousand writes.
    private func tell(_ reason: String, _ credentials: KeptPushCredentials?) async throws {
        guard let credentials else { return }
        let now = service.clock.now(), said = String(reason.prefix(PhonePushSender.longestRefusal))
        _ = try await service.database.execute(
            """
            update phone_application_push c set refused_at = \(now), refusal = \(said)
            where c.id = \(credentials.id) and (c.refusal is distinct from \(said)
                or c.refused_at < \(now.addingTimeInterval(-60)))
            """)
    }

    /// Unless the phone has told another address meanwhile.
    private func forget(_ token: String, of registration: String) async throws {
        _ = try await service.database.execute(
            """
            update phone_registration set push_platform = null, push_token = null, push_environment = null,
                push_language = null
            where id = \(registration) and push_token = \(token)
            """)
    }
}
