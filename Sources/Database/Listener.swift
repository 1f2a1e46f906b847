import Base
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

    /// Listens on a connection that all channels share, and which comes back by itself. Until the first `listening`
    /// nothing is heard; behind a pooler that does not hand notifications on there never is one, and whoever listens
    /// reads through. Whoever reads so slowly that more than `Listener.most` wait hears `lost` and `listening`. The
    /// stream ends with `close()` of the database; dropping the last one closes the connection.
    public func listen(_ channel: String) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Notification.self, bufferingPolicy: .bufferingNewest(Listener.most))
        guard pool.withLock({ $0?.isClosing == false }), let listener else {
            continuation.finish()
            return stream
        }
        let reader = listener.enlist(channel, continuation)
        continuation.onTermination = { [weak listener] _ in listener?.withdraw(reader) }
        return stream
    }

    /// Sends a notification to a listener's own channel, on another connection.
    func call(_ ear: String) { Task { _ = try? await self.execute("select pg_notify(\(ear), '')") } }
}

/// The connection that listens, and the next one when it is lost.
///
/// * Behind a pooler it must hear first: a notification that another connection sends to a channel of its own. In
///   transaction mode LISTEN is done in a session that serves somebody else the next moment, and nothing would tell of
///   it.
/// * Where it has heard nothing for a while it asks whether there is still a server: one that is stopped keeps its
///   connections, while all the others may have gone to another one.
/// * Nobody is told anything under the lock. Whoever cancels a reader's task holds that task's own lock, which is the
///   runtime's, and withdraws the reader, which waits for the lock here; to wake the task takes its lock.
final class Listener: Sendable {
    /// Notifications that wait to be read.
    static let most = 4_096
    /// Without a word from the server, until it is asked whether it is there, in times that an answer may take.
    private static let silence = 3.0
    /// Between two tries where no notification arrives.
    private static let deafPause: Duration = .seconds(30)
    /// For how long somebody who cannot keep up is told nothing.
    private static let rest: Duration = .milliseconds(200)

    private struct Reader {
        let channel: String
        let continuation: AsyncStream<Database.Notification>.Continuation
        /// It was told `listening`, and no `lost` since.
        var isListening = false
        /// It has missed something, and is not told yet.
        var isBehind = false
    }

    private struct State {
        var connection: Connection?
        /// Notifications arrive on this connection.
        var isHearing = false
        /// The last word on this connection.
        var heardAt = ContinuousClock.now
        var isStopped = false
        var isDeaf = false
        var made = 0
        var backoff = Backoff()
        var readers: [Int: Reader] = [:]
        var enlisted = 0
        /// Those that this connection listens to.
        var channels: Set<String> = []
    }

    private let ear = "pando_ear_" + Randomness.system.uuid().uuidString.lowercased()
    private let conninfo: Conninfo
    private let logger: Logger
    private let call: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// `call` sends a notification to the channel it is given, on another connection.
    init(conninfo: Conninfo, logger: Logger, call: @escaping @Sendable (String) -> Void) {
        (self.conninfo, self.logger, self.call) = (conninfo, logger, call)
    }

    // MARK: Readers

    func enlist(_ channel: String, _ continuation: AsyncStream<Database.Notification>.Continuation) -> Int {
        let (number, isFirst): (Int, Bool) = state.withLock { state in
            state.enlisted += 1
            state.readers[state.enlisted] = Reader(channel: channel, continuation: continuation)
            guard !state.isStopped else { return (state.enlisted, false) }
            return (state.enlisted, state.connection == nil && state.readers.count == 1)
        }
        if state.withLock({ $0.isStopped }) { continuation.finish() }
        if isFirst { connect() } else { subscribe() }
        return number
    }

    /// Without readers there is no connection.
    func withdraw(_ reader: Int) {
        let connection: Connection? = state.withLock { state in
            guard state.readers.removeValue(forKey: reader) != nil, state.readers.isEmpty else { return nil }
            defer { (state.connection, state.isHearing, state.channels) = (nil, false, []) }
            return state.connection
        }
        connection?.shutDown()
    }

    func stop() {
        let (connection, readers): (Connection?, [Reader]) = state.withLock { state in
            state.isStopped = true
            defer { (state.connection, state.readers) = (nil, [:]) }
            return (state.connection, Array(state.readers.values))
        }
        connection?.shutDown()
        for reader in readers { reader.continuation.finish() }
    }

    // MARK: The connection

    private func connect() {
        let connection: Connection? = state.withLock { state in
            guard !state.isStopped, state.connection == nil, !state.readers.isEmpty else { return nil }
            state.made += 1
            (state.isHearing, state.channels) = (false, [])
            let number = -state.made
            // The handlers keep the listener alive while its connection lives.
            let connection = Connection(id: number, conninfo: conninfo) { self.handle($0, of: number) }
            state.connection = connection
            return connection
        }
        connection?.start()
    }

    /// On the loop, so that what is yielded keeps its order.
    private func handle(_ event: Connection.Event, of number: Int) {
        // What a connection says that was let go of is nobody's.
        let isCurrent = state.withLock { state in
            guard state.connection?.id == number else { return false }
            state.heardAt = .now
            return true
        }
        guard isCurrent else { return }
        switch event {
        case .ready(isPooled: false): hears(on: number)
        case .ready(isPooled: true): prove()
        case .notification(ear, _): hears(on: number)
        case .notification(let channel, let payload): tell(channel, payload)
        case .lost(let reason): reconnect(after: reason, of: number)
        case .finished: break
        }
    }

    private func tell(_ channel: String, _ payload: String) {
        let heard = state.withLock { state in
            state.readers.filter { $0.value.channel == channel && $0.value.isListening && !$0.value.isBehind }
        }
        let late = heard.compactMap { number, reader in
            if case .dropped = reader.continuation.yield(.payload(payload)) { number } else { nil as Int? }
        }
        guard !late.isEmpty else { return }
        state.withLock { state in for number in late { state.readers[number]?.isBehind = true } }
        IOLoop.shared.async(after: Listener.rest) { self.catchUp(late) }
    }

    /// They have missed something, and from now on nothing.
    private func catchUp(_ late: [Int]) {
        let told: [Reader] = state.withLock { state in
            late.compactMap { number in
                guard let reader = state.readers[number], reader.isListening else { return nil }
                state.readers[number]?.isBehind = false
                return reader
            }
        }
        for reader in told {
            reader.continuation.yield(.lost)
            reader.continuation.yield(.listening)
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
            guard state.connection === connection, !state.isHearing, !state.isStopped else { return (false, false) }
            defer { state.isDeaf = true }
            return (true, !state.isDeaf)
        }
        if isNew {
            logger.warning(
                """
                notifications do not arrive: a pooler before PostgreSQL pools transactions, perhaps. What others \
                change is read every time instead of being remembered
                """)
        }
        return isDeaf
    }

    private func hears(on number: Int) {
        let isNew = state.withLock { state in
            guard state.connection?.id == number, !state.isHearing else { return false }
            (state.isHearing, state.isDeaf) = (true, false)
            return true
        }
        guard isNew, let unlisten = try? Statement("unlisten \(identifier: ear)") else { return }
        ask([unlisten]) { self.feelPulse(of: $0) }
        subscribe()
    }

    /// Listens to what is not listened to yet, and tells all who wait for that.
    private func subscribe() {
        let wanted: Set<String> = state.withLock { state in
            state.isHearing ? Set(state.readers.values.filter { !$0.isListening }.map(\.channel)) : []
        }
        var channels: [String] = [], statements: [Statement] = []
        for channel in wanted.sorted() {
            guard let listen = try? Statement("listen \(identifier: channel)") else { continue }
            channels.append(channel)
            statements.append(listen)
        }
        guard !statements.isEmpty else { return }
        ask(statements) { [channels] connection in
            let told: [Reader] = self.state.withLock { state in
                guard state.connection === connection else { return [] }
                state.backoff.succeeded()
                state.channels.formUnion(channels)
                let told = state.readers.filter { !$0.value.isListening && state.channels.contains($0.value.channel) }
                for number in told.keys { state.readers[number]?.isListening = true }
                return Array(told.values)
            }
            for reader in told { reader.continuation.yield(.listening) }
        }
    }

    /// Is answered as long as there is a server; not asked while it speaks by itself.
    private func feelPulse(of connection: Connection) {
        let heardAt = state.withLock { state in
            state.heardAt = .now
            return state.heardAt
        }
        feelPulse(of: connection, since: heardAt)
    }

    private func feelPulse(of connection: Connection, since heardAt: ContinuousClock.Instant) {
        let silence = conninfo.answerLimit * Listener.silence
        connection.loop.async(after: heardAt + silence - .now) { [weak self, weak connection] in
            guard let self, let connection, let pulse = try? Statement("select") else { return }
            let heardAt = state.withLock { $0.connection === connection ? $0.heardAt : nil }
            guard let heardAt else { return }
            guard .now - heardAt >= silence else { return feelPulse(of: connection, since: heardAt) }
            ask([pulse]) { self.feelPulse(of: $0) }
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

    private func reconnect(after reason: String, of number: Int) {
        let (delay, told): (Duration?, [Reader]) = state.withLock { state in
            guard state.connection?.id == number else { return (nil, []) }
            (state.connection, state.isHearing, state.channels) = (nil, false, [])
            let told = state.readers.filter(\.value.isListening)
            for number in told.keys {
                state.readers[number]?.isListening = false
                state.readers[number]?.isBehind = false
            }
            guard !state.isStopped else { return (nil, Array(told.values)) }
            return (state.isDeaf ? Listener.deafPause : state.backoff.next(), Array(told.values))
        }
        for reader in told { reader.continuation.yield(.lost) }
        guard let delay else { return }
        logger.debug("the listening connection was lost", metadata: ["reason": "\(reason)"])
        IOLoop.shared.async(after: delay) { self.connect() }
    }
}
