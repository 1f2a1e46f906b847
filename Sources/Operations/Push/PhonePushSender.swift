import Base
import Database
import Foundation
import Logging

/// Empties the outbox of pushes, as `CallbackSender` does that of callbacks; each is tried until it is not worth telling any more.
public struct PhonePushSender: Sendable {
    /// How long a claimed push is left to its worker. One that is killed in the middle may send it twice.
    static let lease: TimeInterval = 20
    static let pause = RetryPause(first: 2, longest: 60)

    let service: OperationsService
    let delivery: PhonePushDelivery
    let logger: Logger

    public init(_ service: OperationsService, delivery: PhonePushDelivery, logger: Logger) {
        (self.service, self.delivery, self.logger) = (service, delivery, logger)
    }

    /// Until cancelled.
    public func run() async {
        await WakeLoop("pushes of operations", in: service.database, channel: PhonePushOutbox.channel, logger: logger) { try await sendDue() }.run()
    }

    private struct Claimed: Sendable {
        let id: String
        let registration: String
        let push: PhonePush
        let failures: Int
    }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let now = service.clock.now()
        let rows = try await service.database.query("""
            with due as (
                select p.id from phone_push p where p.next_try <= \(now) and p.expires_at > \(now) order by p.next_try limit 32 for update skip locked
            )
            update phone_push p set next_try = \(now.addingTimeInterval(PhonePushSender.lease))
            from due, phone_registration r where p.id = due.id and r.id = p.registration
            returning p.id, p.registration, p.payload, p.expires_at, p.failures, r.push_platform, r.push_token, r.push_environment
            """)
        let pushes = try rows.compactMap { try claimed($0) }
        await withTaskGroup(of: Void.self) { group in
            for push in pushes { group.addTask { await send(push) } }
        }
        return rows.count
    }

    /// `nil` without an address: then it waits for its end.
    private func claimed(_ row: Row) throws -> Claimed? {
        let platform: String? = try row("push_platform"), token: String? = try row("push_token"), message: JSONValue = try row("payload")
        guard let platform, let token else { return nil }
        let push = PhonePush(platform: platform, token: token, environment: try row("push_environment"), title: message["title"]?.string, body: message["body"]?.string,
                             payload: message["payload"]?.object ?? [:], expiresAt: try row("expires_at"))
        return Claimed(id: try row("id"), registration: try row("registration"), push: push, failures: try row("failures"))
    }

    private func send(_ claimed: Claimed) async {
        do {
            switch try await delivery.deliver(claimed.push) {
            case .delivered: try await drop(claimed)
            case .tokenGone: try await forget(claimed)
            case .refused(let reason):
                logger.warning("push refused", metadata: ["reason": "\(reason)"])
                try await drop(claimed)
            case .later(let reason): try await postpone(claimed, reason)
            }
        } catch {
            try? await postpone(claimed, "\(error)")
        }
    }

    private func drop(_ claimed: Claimed) async throws { _ = try await service.database.execute("delete from phone_push where id = \(claimed.id)") }

    /// Unless the phone has told another address meanwhile.
    private func forget(_ claimed: Claimed) async throws {
        _ = try await service.database.batch([
            """
            update phone_registration set push_platform = null, push_token = null, push_environment = null
            where id = \(claimed.registration) and push_token = \(claimed.push.token)
            """,
            "delete from phone_push where id = \(claimed.id)",
        ])
    }

    /// Two seconds, doubling to a minute, with a random part.
    private func postpone(_ claimed: Claimed, _ reason: String) async throws {
        let next = service.clock.now().addingTimeInterval(PhonePushSender.pause.after(claimed.failures))
        _ = try await service.database.execute("""
            update phone_push set failures = failures + 1, last_error = \(String(reason.prefix(200))), next_try = \(next)
            where id = \(claimed.id)
            """)
    }
}
