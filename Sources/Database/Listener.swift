import Dispatch
import Foundation
import Logging
import Synchronization

extension Database {
    public enum Notification: Sendable, Equatable {
        /// From now on nothing is missed, until `lost`.
        case listening
        /// Notifications may be missed; caches must read through until the next `listening`.
        case lost
        case payload(String)
    }

    /// Listens on a connection of its own, which comes back by itself. Until the first `listening` nothing is heard.
    /// Whoever reads so slowly that more than `Listener.most` wait hears the newest of them, then `lost` and `listening`.
    /// The stream ends with `close()` of the database; dropping it closes the connection.
    public func listen(_ channel: String) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notification.self, bufferingPolicy: .bufferingNewest(Listener.most))
        guard let conninfo, pool.withLock({ $0?.isClosing == false }) else {
            continuation.finish()
            return stream
        }
        let listener = Listener(channel: channel, conninfo: conninfo, limit: settings.connectTimeout, logger: logger, continuation)
        let key = ObjectIdentifier(listener)
        listeners.withLock { $0[key] = listener }
        continuation.onTermination = { [weak self, weak listener] _ in
            listener?.stop()
            self?.listeners.withLock { $0[key] = nil }
        }
        listener.connect()
        return stream
    }
}

/// One channel's connection, and the next one when it is lost.
final class Listener: Sendable {
    /// Notifications that wait to be read.
    static let most = 4_096

    private struct State {
        var connection: Connection?
        var isListening = false
        var isStopped = false
        var made = 0
        var backoff = Backoff()
    }

    private let channel: String
    private let conninfo: Conninfo
    private let limit: TimeInterval
    private let logger: Logger
    private let continuation: AsyncStream<Database.Notification>.Continuation
    private let state = Mutex(State())

    init(channel: String, conninfo: Conninfo, limit: TimeInterval, logger: Logger, _ continuation: AsyncStream<Database.Notification>.Continuation) {
        self.channel = channel
        self.conninfo = conninfo
        self.limit = limit
        self.logger = logger
        self.continuation = continuation
    }

    func connect() {
        let connection: Connection? = state.withLock { state in
            guard !state.isStopped else { return nil }
            state.made += 1
            // The handlers keep the listener alive while its connection lives.
            let connection = Connection(id: -state.made, conninfo: conninfo) { self.handle($0) }
            state.connection = connection
            return connection
        }
        connection?.start(limit: limit)
    }

    func stop() {
        let connection = state.withLock { state in
            state.isStopped = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.shutDown()
        continuation.finish()
    }

    /// On the connection's queue, so that what is yielded keeps its order.
    private func handle(_ event: Connection.Event) {
        switch event {
        case .ready: subscribe()
        case .notification(_, let payload):
            // With a new connection whoever reads learns that something was missed.
            if case .dropped = continuation.yield(.payload(payload)) { state.withLock { $0.connection }?.shutDown() }
        case .lost(let reason): reconnect(after: reason)
        case .finished: break
        }
    }

    private func subscribe() {
        guard let connection = state.withLock({ $0.connection }), let statement = try? Statement("listen \(identifier: channel)") else { return }
        connection.submit(Request(ticket: Ticket(), work: .shared([statement])) { answer in
            guard case .results = answer else { return connection.shutDown() }
            self.state.withLock { state in
                state.isListening = true
                state.backoff.succeeded()
            }
            self.continuation.yield(.listening)
        })
    }

    private func reconnect(after reason: String) {
        let (wasListening, delay): (Bool, Duration?) = state.withLock { state in
            defer { state.isListening = false }
            state.connection = nil
            return (state.isListening, state.isStopped ? nil : state.backoff.next())
        }
        guard let delay else { return }
        logger.debug("listening connection lost", metadata: ["channel": "\(channel)", "reason": "\(reason)"])
        if wasListening { continuation.yield(.lost) }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay / .seconds(1)) { self.connect() }
    }
}
