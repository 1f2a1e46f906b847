import Base
import Database
import Logging
import Synchronization

/// Messages between replicas, in order from each: one writer at a time sends what has gathered, in one statement, by NOTIFY; what is too long for that stands in a
/// table, and its id is sent. Every replica hears everything: signalling is a few messages for each login, and a room's sides may be anywhere.
final class SignallingBus: Sendable {
    static let channel = "pando_signalling"
    /// Bytes; PostgreSQL takes 7,999.
    static let longestNotice = 7_800
    static let batch = 128
    /// Bytes of one statement; one message may have more.
    static let batchBytes = 1_000_000
    /// Messages and bytes that gather while the database is away; more is lost.
    static let most = 20_000
    static let mostBytes = 64_000_000
    /// A notice that begins so names a body: its id, who sent it, whom to, and of which room, with blanks between.
    private static let long: Character = "@"

    enum Heard: Sendable, Equatable {
        /// From now on nothing is missed, but something may have been.
        case listening
        case lost
        case message(BusMessage)
        /// A message of this replica is lost, or perhaps one.
        case gap(String)
        /// Sessions that were cut; `nil`: perhaps all.
        case over([String]?)
    }

    /// This process, until it ends.
    let replica: String
    private let database: Database
    private let randomness: Randomness
    private let logger: Logger
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    private struct Pending: Sendable {
        let text: String
        let to: String?
        /// The room that it is about, where it is nothing to those who have no such room.
        let request: String?
    }

    private struct State {
        var number = 0
        var pending: [Pending] = []
        var bytes = 0
        var isFull = false
        /// The last number of each replica that was heard: what is sent again after a doubtful commit is not heard again.
        var heard: [String: Int] = [:]
    }

    init(database: Database, randomness: Randomness, logger: Logger) {
        (self.database, self.randomness, self.logger) = (database, randomness, logger)
        replica = randomness.identifier()
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Sending

    /// Returns at once; messages go in the order of these calls.
    func send(_ body: BusMessage.Body, to: String? = nil) {
        let complains = state.withLock { state -> Bool in
            state.number += 1
            let text = BusMessage(from: replica, number: state.number, to: to, body).text
            guard state.pending.count < SignallingBus.most, state.bytes + text.utf8.count <= SignallingBus.mostBytes else {
                defer { state.isFull = true }
                return !state.isFull
            }
            state.pending.append(Pending(text: text, to: to, request: body.room?.key))
            state.bytes += text.utf8.count
            state.isFull = false
            return false
        }
        if complains { logger.warning("signalling messages are lost: too many wait for the database") }
        wake.yield()
    }

    /// Sends until cancelled.
    func write() async {
        for await _ in wakes {
            while !Task.isCancelled, await !flush() { try? await Task.sleep(for: .milliseconds(500)) }
        }
    }

    /// All that has gathered, once. `false`: the database does not answer.
    func flush() async -> Bool {
        var messages = next()
        while !messages.isEmpty, !Task.isCancelled {
            do {
                do {
                    try await notify(messages)
                    sent(messages)
                } catch let error as DatabaseError where error.isRefusal {
                    try await singly(messages)
                }
            } catch {
                if !Task.isCancelled { logger.warning("signalling messages wait: the database does not answer", metadata: ["error": "\(error)"]) }
                return false
            }
            messages = next()
        }
        return true
    }

    /// The database refuses one of these, which is lost then; the others are not.
    private func singly(_ messages: [Pending]) async throws {
        for message in messages {
            do {
                try await notify([message])
            } catch let error as DatabaseError where error.isRefusal {
                logger.error("a signalling message is lost: the database refuses it", metadata: ["error": "\(error)"])
            }
            sent([message])
        }
    }

    private func next() -> [Pending] {
        state.withLock { state in
            var bytes = 0
            let fitting = state.pending.prefix(SignallingBus.batch).prefix { message in
                bytes += message.text.utf8.count
                return bytes <= SignallingBus.batchBytes
            }
            return fitting.isEmpty ? Array(state.pending.prefix(1)) : Array(fitting)
        }
    }

    private func sent(_ messages: [Pending]) {
        state.withLock { state in
            state.pending.removeFirst(messages.count)
            state.bytes -= messages.reduce(0) { $0 + $1.text.utf8.count }
        }
    }

    private func notify(_ messages: [Pending]) async throws {
        var notices: [String] = [], ids: [String] = [], bodies: [String] = []
        for message in messages {
            guard message.text.utf8.count > SignallingBus.longestNotice else {
                notices.append(message.text)
                continue
            }
            let id = randomness.identifier()
            ids.append(id)
            bodies.append(message.text)
            notices.append("\(SignallingBus.long)\(id) \(replica) \(message.to ?? "") \(message.request ?? "")")
        }
        let notice: SQL = "select pg_notify(\(SignallingBus.channel), x.notice) from unnest(\(notices)) with ordinality as x (notice, place) order by x.place"
        let store: SQL = "insert into signalling_body (id, body) select x.id, x.body from unnest(\(ids), \(bodies)) as x (id, body)"
        _ = try await database.batch(ids.isEmpty ? [notice] : [store, notice])
    }

    /// Bodies that everybody has read who was told of them.
    func tidy() async throws { _ = try await database.execute("delete from signalling_body where created_at < clock_timestamp() - interval '1 minute'") }

    // MARK: Hearing

    /// Listens until cancelled. Of what is about rooms that are not `known` here nothing long is fetched.
    func listen(known: (String) -> Bool, _ heard: (Heard) async -> Void) async {
        for await notification in database.listen(SignallingBus.channel) {
            switch notification {
            case .listening: await heard(.listening)
            case .lost: await heard(.lost)
            case .payload(let notice):
                if let found = SessionCuts.read(notice) {
                    await heard(found)
                } else if notice.first == SignallingBus.long {
                    if let found = await fetch(notice, known) { await heard(found) }
                } else if let message = BusMessage(notice), isNew(message) {
                    await heard(.message(message))
                }
            }
        }
    }

    /// Other schemas of this database may use the channel: their bodies are not here.
    private func fetch(_ notice: String, _ known: (String) -> Bool) async -> Heard? {
        let parts = notice.dropFirst().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[1] != replica, parts[2].isEmpty || parts[2] == replica, parts[3].isEmpty || known(parts[3]) else { return nil }
        do {
            let rows = try await database.query("select body from signalling_body where id = \(parts[0])")
            guard let row = rows.first else { return .gap(parts[1]) }
            let message = BusMessage(try row("body", as: String.self))
            return message.flatMap { isNew($0) ? .message($0) : nil }
        } catch {
            logger.warning("a signalling message is lost", metadata: ["error": "\(error)"])
            return .gap(parts[1])
        }
    }

    private func isNew(_ message: BusMessage) -> Bool {
        guard message.from != replica, message.to == nil || message.to == replica else { return false }
        return state.withLock { state in
            guard message.number > state.heard[message.from, default: 0] else { return false }
            state.heard[message.from] = message.number
            return true
        }
    }

    func forget(_ replica: String) { state.withLock { $0.heard[replica] = nil } }
}

extension DatabaseError {
    /// The statement itself is refused, and will be again.
    var isRefusal: Bool {
        switch self {
        case .unavailable, .timeout, .cancelled, .serialization: false
        case .unique, .violation, .undefinedTable, .decoding: true
        // Class 22 and 42: the data, or the statement. A standby, a full queue or a full disk refuses what another server takes a moment later.
        case .server(let state, _): state.hasPrefix("22") || state.hasPrefix("42")
        }
    }
}

extension BusMessage.Body {
    fileprivate var room: RequestID? { if case .relay(let request, _, _) = self { request } else { nil } }
}
