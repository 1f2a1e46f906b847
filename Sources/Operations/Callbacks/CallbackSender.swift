import Base
import Database
import Foundation
import Logging

/// HTTP as a closure: `pando` gives the client (bounded in time and size, no redirects), tests a fake.
public struct CallbackHTTP: Sendable {
    public struct Request: Sendable {
        public let url: String
        public let headers: [(name: String, value: String)]
        public let body: [UInt8]
    }

    /// POST; the answer's status, whatever it is.
    public let post: @Sendable (Request) async throws -> Int

    public init(post: @escaping @Sendable (Request) async throws -> Int) { self.post = post }
}

/// Empties the outbox of callbacks by a `DeliveryQueue`; retries for three days. What was sent by a worker that was
/// killed is sent again: the id tells a receiver what it has.
public struct CallbackSender: Sendable {
    /// How long a claimed event is left to its worker.
    static let lease: TimeInterval = 30
    /// From the first failure on, which is counted with the claim: two seconds, doubling to an hour.
    static let pause = RetryPause(first: 1, longest: 3_600)
    /// Given up after that, until somebody asks for it again.
    static let patience: TimeInterval = 3 * 86_400

    let service: OperationsService
    let http: CallbackHTTP
    let logger: Logger

    public init(_ service: OperationsService, http: CallbackHTTP, logger: Logger) {
        (self.service, self.http, self.logger) = (service, http, logger)
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    private var queue: DeliveryQueue {
        DeliveryQueue(
            "callbacks", CallbackSender.table, in: service.database, channel: CallbackOutbox.channel,
            lease: CallbackSender.lease, pause: CallbackSender.pause, clock: service.clock,
            logger: logger, send: send)
    }

    private static let table = DeliveryTable(
        "operations_callback_event", key: "id", receivers: "select c.id as receiver from operations_callback c",
        rows: "operations_callback_event d where d.callback = r.receiver and d.next_try is not null",
        order: "d.next_try, d.number", joins: "join operations_callback c on c.id = due.receiver",
        columns: "d.id, d.callback, d.body, c.url, c.secret, c.sealed_by", tally: .attempts("tries"),
        patience: DeliveryTable.Patience(since: "first_try", lasts: patience), keepsDeadLetters: true,
        delivered: { "next_try = null, delivered_at = coalesce(delivered_at, \($0)), last_error = null" },
        matching: { row throws(DatabaseError) in "d.id = \(try row("id", as: String.self))" })

    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let id: String = try row("id"), callback: String = try row("callback"), body: String = try row("body")
        guard let sealed = try Sealed(row, "secret", by: "sealed_by"),
            let secret = try? service.vault.open(sealed, .callbackSecret, of: callback)
        else {
            return .later("the secret is sealed by another master key")
        }
        let now = service.clock.now().numericDate
        let headers = CallbackSignature.headers(id: id, seconds: now, body: body, secret: secret)
        let request = CallbackHTTP.Request(url: try row("url"), headers: headers, body: Array(body.utf8))
        let status = try await http.post(request)
        return (200..<300).contains(status) ? .delivered : .later("status \(status)")
    }
}
