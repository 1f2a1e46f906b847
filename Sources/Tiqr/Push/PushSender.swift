import Base
import Database
import Foundation
import Logging
import Push

/// Empties the push outbox by a `DeliveryQueue`; a push is tried until the authentication is over.
public struct PushSender: Sendable {
    /// How long a claimed push is left to its worker. One that is killed in the middle may send it twice: the phone
    /// shows one.
    static let lease: TimeInterval = 20
    /// Two seconds, doubling to a minute.
    static let pause = RetryPause(first: 2, longest: 60)

    let service: TiqrService
    let logger: Logger
    private let metrics: PushMetrics

    public init(_ service: TiqrService, logger: Logger, metrics: PushMetrics = PushMetrics(product: "tiqr")) {
        (self.service, self.logger, self.metrics) = (service, logger, metrics)
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    /// A push service takes those of all phones: one of the three that hangs leaves room to the others.
    private var queue: DeliveryQueue {
        DeliveryQueue(
            "pushes", PushSender.table, in: service.database, channel: PushOutbox.channel,
            limits: DeliveryLimits(total: 96, share: 32), lease: PushSender.lease, pause: PushSender.pause,
            clock: service.clock, logger: logger, send: send)
    }

    /// What has no address any more, or has expired, is dropped with its authentication by housekeeping.
    private static let table = DeliveryTable(
        "tiqr_push", key: "authentication", receivers: "select unnest(\(PushRoutes.providers)::text[]) as receiver",
        rows: """
            tiqr_push d join tiqr_identity i on i.identity = d.identity
            where \(PushRoutes.provider) = r.receiver and i.push_address is not null
            """,
        expires: "expires_at",
        joins: """
            join tiqr_push p on p.authentication = due.key join tiqr_authentication x on x.id = p.authentication
            join tiqr_identity i on i.identity = p.identity join tiqr_identifier n on n.identifier = x.identifier
            """,
        columns: """
            \(AuthenticationStore.columns), i.identity as holder, i.external_id as holder_external,
            i.push_type, i.push_address, i.language as phone_language, n.display_name as service_name
            """,
        tally: .failures("failures"),
        matching: { row throws(DatabaseError) in "d.authentication = \(try row("id", as: String.self))" })

    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let authentication = try service.authentications.view(row)
        guard authentication.status == .pending else { return .delivered }
        let message = try self.message(row, authentication)
        let result = try await metrics.recording(by: try row("receiver")) {
            try await service.outbox.routes.deliver(message, at: service.clock.now())
        }
        switch result {
        case .delivered: return .delivered
        case .addressGone:
            try await forget(message)
            return .delivered
        case .refused(let reason): return .refused(reason)
        case .later(let reason): return .later(reason)
        }
    }

    private func message(_ row: Row, _ view: AuthenticationView) throws -> PushMessage {
        let name: String = try row("service_name"), shown = view.challenge.serviceProvider ?? name
        return PushMessage(
            identity: try row("holder"), externalID: try row("holder_external"), type: try row("push_type"),
            address: try row("push_address"), link: service.links.authentication(view, universal: false),
            text: service.settings.texts.push(
                for: shown, number: view.number?.text, in: try row("phone_language")), serviceName: shown,
            expiresAt: view.expiresAt,
            collapse: Base64URL.encode(Digest.sha256(view.id)))
    }

    /// Unless the phone has told another address meanwhile.
    private func forget(_ message: PushMessage) async throws {
        _ = try await service.database.execute(
            """
            update tiqr_identity set push_type = null, push_address = null
            where identity = \(message.identity) and push_type = \(message.type) and push_address = \(message.address)
            """)
    }
}
