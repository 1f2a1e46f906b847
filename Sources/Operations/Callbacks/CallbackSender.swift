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

/// Empties the outbox of callbacks, on as many replicas as run it: claims by `for update skip locked`, sends, retries for three days. What was sent by a
/// worker that was killed is sent again: the id tells a receiver what it has.
public struct CallbackSender: Sendable {
    /// How long a claimed event is left to its worker.
    static let lease: TimeInterval = 30
    /// How many events of one callback are sent at once: one that does not answer leaves room to the others.
    static let share = 4
    /// From the first failure on, which is counted with the claim: two seconds.
    static let pause = RetryPause(first: 1, longest: 3_600)
    static let patience: TimeInterval = 3 * 86_400

    let service: OperationsService
    let http: CallbackHTTP
    let logger: Logger
    let pace: CallbackPace

    public init(_ service: OperationsService, http: CallbackHTTP, logger: Logger) { self.init(service, http: http, logger: logger, pace: CallbackPace()) }

    init(_ service: OperationsService, http: CallbackHTTP, logger: Logger, pace: CallbackPace) {
        (self.service, self.http, self.logger, self.pace) = (service, http, logger, pace)
    }

    /// Until cancelled. Wakes at notifications, and twice a second for what is due again. Nobody waits for those that answer late: each is sent to by itself.
    public func run() async {
        let (queue, late) = AsyncStream.makeStream(of: [Claimed].self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await WakeLoop("callbacks", in: service.database, channel: CallbackOutbox.channel, logger: logger) { try await sendPunctual() }.run()
            }
            group.addTask {
                await WakeLoop("late callbacks", in: service.database, channel: CallbackOutbox.channel, logger: logger) {
                    let claimed = try await claimLate()
                    for events in claimed { late.yield(events) }
                    return claimed.count
                }.run()
                late.finish()
            }
            group.addTask {
                await withDiscardingTaskGroup { senders in
                    for await events in queue { senders.addTask { await sendLate(events) } }
                }
            }
        }
    }

    private struct Claimed: Sendable {
        let id: String
        let callback: String
        let url: String
        let body: String
        /// `nil` when it is sealed by another master key: that keeps none of the others waiting.
        let secret: SecretBytes?
        let tries: Int
        let firstTry: Date
    }

    /// Claims what is due and sends it, side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let punctual = try await sendPunctual(), late = try await claimLate()
        await withTaskGroup(of: Void.self) { group in
            for events in late { group.addTask { await sendLate(events) } }
        }
        return punctual + late.map(\.count).reduce(0, +)
    }

    private func sendPunctual() async throws -> Int {
        let events = try await claim(of: "c.id <> all (\(pace.late))")
        await send(events)
        return events.count
    }

    /// What is due of late ones, by callback. Each is to be given to `sendLate`: until then no more of it is claimed.
    private func claimLate() async throws -> [[Claimed]] {
        let idle = pace.idle
        guard !idle.isEmpty else { return [] }
        let claimed = Dictionary(grouping: try await claim(of: "c.id = any (\(idle))"), by: \.callback)
        for callback in claimed.keys { pace.begin(callback) }
        return Array(claimed.values)
    }

    private func sendLate(_ events: [Claimed]) async {
        await send(events)
        for event in events { pace.end(event.callback) }
    }

    private func send(_ events: [Claimed]) async {
        await withTaskGroup(of: Void.self) { group in
            for event in events { group.addTask { await send(event) } }
        }
    }

    private func claim(of whose: SQL) async throws -> [Claimed] {
        let now = service.clock.now()
        let rows = try await service.database.query("""
            with due as (
                select e.id from operations_callback c cross join lateral (
                    select e.id, e.next_try, e.number from operations_callback_event e where e.callback = c.id and e.next_try <= \(now)
                    order by e.next_try, e.number limit \(CallbackSender.share) for update skip locked
                ) e
                where \(whose)
                order by e.next_try, e.number limit 32
            )
            update operations_callback_event e set next_try = \(now.addingTimeInterval(CallbackSender.lease)), tries = e.tries + 1
            from due, operations_callback c where e.id = due.id and c.id = e.callback
            returning e.id, e.callback, e.body, e.tries, e.first_try, c.url, c.secret, c.sealed_by
            """)
        var events: [Claimed] = []
        for row in rows {
            guard let sealed = try Sealed(row, "secret", by: "sealed_by") else { continue }
            let callback: String = try row("callback"), secret = try? service.vault.open(sealed, .callbackSecret, of: callback)
            events.append(Claimed(id: try row("id"), callback: callback, url: try row("url"), body: try row("body"), secret: secret, tries: try row("tries"),
                                  firstTry: try row("first_try")))
        }
        return events
    }

    private func send(_ event: Claimed) async {
        let failure: String?
        if let secret = event.secret { failure = await post(event, secret) } else { failure = "the secret is sealed by another master key" }
        do {
            if let failure { try await postpone(event, failure) } else { try await delivered(event) }
        } catch {
            logger.warning("a callback's outcome was not written", metadata: ["error": "\(error)"])
        }
    }

    /// Why it was not taken; `nil` when it was.
    private func post(_ event: Claimed, _ secret: SecretBytes) async -> String? {
        let headers = CallbackSignature.headers(id: event.id, seconds: service.clock.now().numericDate, body: event.body, secret: secret)
        let began = ContinuousClock.now
        do {
            let status = try await http.post(CallbackHTTP.Request(url: event.url, headers: headers, body: Array(event.body.utf8)))
            pace.note(event.callback, took: ContinuousClock.now - began)
            return (200..<300).contains(status) ? nil : "status \(status)"
        } catch {
            pace.note(event.callback, took: nil)
            return "\(error)"
        }
    }

    private func delivered(_ event: Claimed) async throws {
        _ = try await service.database.execute("""
            update operations_callback_event set next_try = null, delivered_at = \(service.clock.now()), last_error = null where id = \(event.id) and delivered_at is null
            """)
    }

    /// Two seconds, doubling to an hour, with a random part; given up after three days, until somebody asks for it again.
    private func postpone(_ event: Claimed, _ reason: String) async throws {
        let now = service.clock.now()
        let next: Date? = now.timeIntervalSince(event.firstTry) < CallbackSender.patience ? now + CallbackSender.pause.after(event.tries) : nil
        _ = try await service.database.execute("""
            update operations_callback_event set next_try = \(next), last_error = \(String(reason.prefix(200))) where id = \(event.id) and delivered_at is null
            """)
        logger.info("callback not delivered", metadata: ["reason": "\(reason.prefix(200))", "tries": "\(event.tries)"])
    }
}
