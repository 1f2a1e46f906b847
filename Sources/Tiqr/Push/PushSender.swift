import Base
import Database
import Foundation
import Logging

/// Empties the push outbox, on as many replicas as run it: claims by `for update skip locked`, sends, retries until the authentication is over.
public struct PushSender: Sendable {
    /// How long a claimed push is left to its worker. One that is killed in the middle may send it twice: the phone shows one.
    static let lease: TimeInterval = 20
    static let pause = RetryPause(first: 2, longest: 60)

    let service: TiqrService
    let logger: Logger

    public init(_ service: TiqrService, logger: Logger) { (self.service, self.logger) = (service, logger) }

    /// Until cancelled.
    public func run() async { await WakeLoop("pushes", in: service.database, channel: PushOutbox.channel, logger: logger) { try await sendDue() }.run() }

    private struct Claimed: Sendable {
        let authentication: AuthenticationView
        let message: PushMessage
        let failures: Int
    }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let now = service.clock.now()
        let rows = try await service.database.query("""
            with due as (
                select p.authentication from tiqr_push p where p.next_try <= \(now) and p.expires_at > \(now) order by p.next_try limit 32 for update skip locked
            )
            update tiqr_push p set next_try = \(now.addingTimeInterval(PushSender.lease))
            from due, tiqr_authentication x, tiqr_identity i, tiqr_identifier n
            where p.authentication = due.authentication and x.id = p.authentication and i.identity = p.identity and n.identifier = x.identifier
            returning \(AuthenticationStore.columns), p.failures, i.identity as holder, i.external_id as holder_external, i.push_type, i.push_address,
                      n.display_name as service_name
            """)
        let pushes = try rows.compactMap { try self.claimed($0) }
        await withTaskGroup(of: Void.self) { group in
            for one in pushes { group.addTask { await send(one) } }
        }
        return rows.count
    }

    /// `nil` without an address: then the push is dropped with its authentication.
    private func claimed(_ row: Row) throws -> Claimed? {
        let view = try service.authentications.view(row)
        let type: String? = try row("push_type"), address: String? = try row("push_address"), name: String = try row("service_name")
        guard let type, let address else { return nil }
        let shown = view.challenge.serviceProvider ?? name
        let message = PushMessage(identity: try row("holder"), externalID: try row("holder_external"), type: type, address: address,
                                  link: service.links.authentication(view, universal: false), text: "Please authenticate for \(shown)", serviceName: shown,
                                  expiresAt: view.expiresAt, collapse: Base64URL.encode(Digest.sha256(view.id)))
        return Claimed(authentication: view, message: message, failures: try row("failures"))
    }

    private func send(_ claimed: Claimed) async {
        do {
            guard claimed.authentication.status == .pending else { return try await drop(claimed) }
            switch try await service.outbox.routes.deliver(claimed.message) {
            case .delivered: try await drop(claimed)
            case .addressGone: try await forget(claimed)
            case .refused(let reason):
                logger.warning("push refused", metadata: ["reason": "\(reason)"])
                try await drop(claimed)
            case .later(let reason): try await postpone(claimed, reason)
            }
        } catch {
            try? await postpone(claimed, "\(error)")
        }
    }

    private func drop(_ claimed: Claimed) async throws {
        _ = try await service.database.execute("delete from tiqr_push where authentication = \(claimed.authentication.id)")
    }

    /// Unless the phone has told another address meanwhile.
    private func forget(_ claimed: Claimed) async throws {
        _ = try await service.database.batch([
            """
            update tiqr_identity set push_type = null, push_address = null
            where identity = \(claimed.message.identity) and push_type = \(claimed.message.type) and push_address = \(claimed.message.address)
            """,
            "delete from tiqr_push where authentication = \(claimed.authentication.id)",
        ])
    }

    /// Two seconds, doubling to a minute, with a random part; `Housekeeping` drops what has expired.
    private func postpone(_ claimed: Claimed, _ reason: String) async throws {
        let next = service.clock.now().addingTimeInterval(PushSender.pause.after(claimed.failures))
        _ = try await service.database.execute("""
            update tiqr_push set failures = failures + 1, last_error = \(String(reason.prefix(200))), next_try = \(next)
            where authentication = \(claimed.authentication.id)
            """)
        logger.info("push not delivered", metadata: ["reason": "\(reason)", "failures": "\(claimed.failures + 1)"])
    }
}
