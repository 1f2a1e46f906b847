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

    /// Listens on a connection of its own, which comes back by itself. Until the first `listening` nothing is heard;
    /// behind a pooler that does not hand notifications on there never is one, and whoever listens reads through.
    /// Whoever reads so slowly that more than `Listener.most` wait hears the newest of them, then `lost` and
    /// `listening`. The stream ends with `close()` of the database; dropping it closes the connection.
    public func listen(_ channel: String) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingNewest(Listener.most))
        guard let conninfo, pool.withLock({ $0?.isClosing == false }) else {
            continuation.finish()
            return stream
        }
        let listener = Listener(channel: channel, conninfo: conninfo, logger: logger, continuation) { [weak self] ear in
            guard let self else { return }
            Task { _ = try? await self.execute("select pg_notify(\(ear), '')") }
        }
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
///
/// * Behind a pooler it must hear first: a notification that another connection sends to a channel of its own. In
///   transaction mode LISTEN is done in a session that serves somebody else the next moment, and nothing would tell of
///   it.
/// * While it listens it asks now and then whether there is still a server: one that is stopped keeps its connections,
///   while all the others may have gone to another one.
final class Listener: Sendable {
    /// Notifications that wait to be read.
    static let most = 4_096
    /// Between two looks whether there is a server, in times that an answer may take.
    private static let pulses = 2.0
    /// Between two tries where no notification arrives.
    private static let deafPause: Duration = .seconds(30)

    private struct State {
        var connection: Connection?
        var isListening = false
        var isStopped = false
        var isDeaf = false
        var made = 0
        var backoff = Backoff()
    }

    private let channel: String
    private let ear = "pando_ear_" + UUID().uuidString.lowercased()
    private let conninfo: Conninfo
    private let logger: Logger
    private let continuation: AsyncStream<Database.Notification>.Continuation
    private let call: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// `call` sends a notification to the channel it is given, on another connection.
    init(
        channel: String, conninfo: Conninfo, logger: Logger,
        _ continuation: AsyncStream<Database.Notification>.Continuation,
        call: @escaping @Sendable (String) -> Void
    ) {
        self.channel = channel
        self.conninfo = conninfo
        self.logger = logger
        self.continuation = continuation
        self.call = call
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
        connection?.start()
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

    /// On the loop, so that what is yielded keeps its order.
    private func handle(_ event: Connection.Event) {
        switch event {
        case .ready(isPooled: false): subscribe()
        case .ready(isPooled: true): prove()
        case .notification(ear, _): subscribe()
        case .notification(_, let payload):
            // With a new connection whoever reads learns that something was missed.
            if case .dropped = continuation.yield(.payload(payload)) { state.withLock { $0.connection }?.shutDown() }
        case .lost(let reason): reconnect(after: reason)
        case .finished: break
        }
    }

    private func prove() {
        guard let listen = try? Statement("listen \(identifier: ear)") else { return }
        ask([listen]) { connection in
            self.call(self.ear)
            connection.loop.async(after: self.conninfo.answerLimit) { [weak connection] in
                guard let connection, self.isDeaf(on: connection) else { return }
                connection.shutDown()
            }
        }
    }

    /// Nothing was heard in time.
    private func isDeaf(on connection: Connection) -> Bool {
        let (isDeaf, isNew) = state.withLock { state in
            guard state.connection === connection, !state.isListening, !state.isStopped else { return (false, false) }
            defer { state.isDeaf = true }
            return (true, !state.isDeaf)
        }
        if isNew {
            logger.warning(
                """
                notifications do not arrive: a pooler before PostgreSQL pools transactions, perhaps. What others \
                change is \
                read every time instead of being remembered
                """, metadata: ["channel": "\(channel)"])
        }
        return isDeaf
    }

    private func subscribe() {
        guard let unlisten = try? Statement("unlisten \(identifier: ear)"),
            let listen = try? Statement("listen \(identifier: channel)")
        else { return }
        ask([unlisten, listen]) { connection in
            let isNew = self.state.withLock { state in
                guard state.connection === connection, !state.isListening else { return false }
                (state.isListening, state.isDeaf) = (true, false)
                state.backoff.succeeded()
                return true
            }
            guard isNew else { return }
            self.continuation.yield(.listening)
            self.feelPulse(of: connection, listen)
        }
    }

    /// To listen again changes nothing, and is answered as long as there is a server.
    private func feelPulse(of connection: Connection, _ listen: Statement) {
        connection.loop.async(after: conninfo.answerLimit * Listener.pulses) { [weak self, weak connection] in
            guard let self, let connection, state.withLock({ $0.connection === connection }) else { return }
            ask([listen]) { self.feelPulse(of: $0, listen) }
        }
    }

    private func ask(_ statements: [Statement], then: @escaping @Sendable (Connection) -> Void) {
        guard let connection = state.withLock({ $0.connection }) else { return }
        let deadline = ContinuousClock.now + conninfo.answerLimit
        connection.submit(
            Request(ticket: Ticket(), work: .alone(statements), deadline: deadline) { answer in
                guard case .results = answer else { return connection.shutDown() }
                then(connection)
            })
    }

    private func reconnect(after reason: String) {
        let (wasListening, delay): (Bool, Duration?) = state.withLock { state in
            defer { state.isListening = false }
            state.connection = nil
            guard !state.isStopped else { return (state.isListening, nil) }
            return (state.isListening, state.isDeaf ? Listener.deafPause : state.backoff.next())
        }
        guard let delay else { return }
        logger.debug("listening connection lost", metadata: ["channel": "\(channel)", "reason": "\(reason)"])
        if wasListening { continuation.yield(.lost) }
        IOLoop.shared.async(after: delay) { self.connect() }
    }
}
