import Base
import Database
import Logging
import Synchronization

/// Messages between replicas, in order from each: one writer at a time sends what has gathered, in one statement, by
/// NOTIFY; what is too long for that stands in a table, and its id is sent. Every replica hears everything: signalling
/// is a few messages for each login, and a room's sides may be anywhere.
final class SignallingBus: Sendable {
    static let channel = "pando_signalling"
    /// Bytes; PostgreSQL takes 7,999.
    static let longestNotice = 7_800
    static let batch = 128
    /// `weight` of one statement; one message may have more.
    static let batchBytes = 1_000_000
    /// Messages and their `weight` that gather while the database is away; more is lost, and the others find it
    /// missing.
    static let most = 20_000
    static let mostBytes = 64_000_000

    enum Heard: Sendable, Equatable {
        /// From now on nothing is missed, but something may have been.
        case listening
        case lost
        case message(BusMessage)
        /// A message of this replica is lost, or perhaps one.
        case gap(String)
        /// Sessions that were revoked; `nil`: perhaps all.
        case over([String]?)
    }

    /// This process, until it ends.
    let replica: String
    private let database: Database
    private let randomness: Randomness
    private let logger: Logger
    /// Messages that may wait.
    private let room: Int
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    private struct State {
        var number = 0
        var pending: [BusMessage] = []
        var bytes = 0
        var isFull = false
        /// The last number of each replica that was heard: what is sent again after a doubtful commit is not heard
        /// again.
        var heard: [String: Int] = [:]
        /// Those of whom every number was heard since this replica listens, so that one that is missing is lost.
        var followed: Set<String> = []
    }

    init(database: Database, randomness: Randomness, logger: Logger, room: Int = SignallingBus.most) {
        (self.database, self.randomness, self.logger, self.room) = (database, randomness, logger, room)
        replica = randomness.identifier()
        (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Sending

    /// Returns at once, and whoever writes makes the text; messages go in the order of these calls.
    func send(_ body: BusMessage.Body, to: String? = nil) {
        let complains = state.withLock { state -> Bool in
            state.number += 1
            let weight = body.weight
            guard state.pending.count < room, state.bytes + weight <= SignallingBus.mostBytes else {
                defer { state.isFull = true }
                return !state.isFull
            }
            state.pending.append(BusMessage(from: replica, number: state.number, to: to, body))
            state.bytes += weight
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
                if !Task.isCancelled {
                    logger.warning(
                        "signalling messages wait: the database does not answer", metadata: ["error": "\(error)"])
                }
                return false
            }
            messages = next()
        }
        return true
    }

    /// The database refuses one of these, which is lost then; the others are not.
    private func singly(_ messages: [BusMessage]) async throws {
        for message in messages {
            do {
                try await notify([message])
            } catch let error as DatabaseError where error.isRefusal {
                logger.error("a signalling message is lost: the database refuses it", metadata: ["error": "\(error)"])
            }
            sent([message])
        }
    }

    private func next() -> [BusMessage] {
        state.withLock { state in
            var bytes = 0
            let fitting = state.pending.prefix(SignallingBus.batch).prefix { message in
                bytes += message.body.weight
                return bytes <= SignallingBus.batchBytes
            }
            return fitting.isEmpty ? Array(state.pending.prefix(1)) : Array(fitting)
        }
    }

    private func sent(_ messages: [BusMessage]) {
        state.withLock { state in
            state.pending.removeFirst(messages.count)
            state.bytes -= messages.reduce(0) { $0 + $1.body.weight }
        }
    }

    private func notify(_ messages: [BusMessage]) async throws {
        var notices: [String] = [], ids: [String] = [], bodies: [String] = []
        for message in messages {
            let text = message.text
            guard text.utf8.count > SignallingBus.longestNotice else {
                notices.append(text)
                continue
            }
            let id = randomness.identifier()
            ids.append(id)
            bodies.append(text)
            notices.append(BusNotice.text(of: message, body: id))
        }
        let notice: SQL =
            """
            select pg_notify(\(SignallingBus.channel), x.notice)
                from unnest(\(notices)) with ordinality as x (notice, place) order by x.place
            """
        let store: SQL =
            "insert into signalling_body (id, body) select x.id, x.body from unnest(\(ids), \(bodies)) as x (id, body)"
        _ = try await database.batch(ids.isEmpty ? [notice] : [store, notice])
    }

    /// Bodies that everybody has read who was told of them.
    func tidy() async throws {
        _ = try await database.execute(
            "delete from signalling_body where created_at < clock_timestamp() - interval '1 minute'")
    }

    // MARK: Hearing

    /// Listens until cancelled. Of what is about rooms that are not `known` here nothing long is fetched.
    func listen(known: (String) -> Bool, _ heard: (Heard) async -> Void) async {
        for await notification in database.listen(SignallingBus.channel) {
            switch notification {
            case .listening:
                state.withLock { $0.followed = [] }
                await heard(.listening)
            case .lost: await heard(.lost)
            case .payload(let notice):
                if let found = SessionRevocations.read(notice) {
                    await heard(found)
                } else if let notice = BusNotice(notice), notice.from != replica, let isNext = follow(notice) {
                    if !isNext { await heard(.gap(notice.from)) }
                    if let found = await read(notice, known) { await heard(found) }
                }
            }
        }
    }

    /// `nil` for what was heard before; `false` when one is missing in between.
    private func follow(_ notice: BusNotice) -> Bool? {
        state.withLock { state in
            let last = state.heard[notice.from] ?? 0
            guard notice.number > last else { return nil }
            state.heard[notice.from] = notice.number
            return state.followed.insert(notice.from).inserted || notice.number == last + 1
        }
    }

    /// `nil` for what is nothing to this replica.
    private func read(_ notice: BusNotice, _ known: (String) -> Bool) async -> Heard? {
        guard notice.to == nil || notice.to == replica else { return nil }
        switch notice.content {
        case .message(let message): return message.map(Heard.message)
        case .body(let id, let room): return room.map(known) ?? true ? await fetch(id, from: notice.from) : nil
        }
    }

    /// Other schemas of this database may use the channel: their bodies are not here.
    private func fetch(_ id: String, from: String) async -> Heard? {
        do {
            let rows = try await database.query("select body from signalling_body where id = \(id)")
            guard let row = rows.first else { return .gap(from) }
            return BusMessage(try row("body", as: String.self)).map(Heard.message)
        } catch {
            logger.warning("a signalling message is lost", metadata: ["error": "\(error)"])
            return .gap(from)
        }
    }

    func forget(_ replica: String) {
        state.withLock { state in
            state.heard[replica] = nil
            state.followed.remove(replica)
        }
    }
}

extension DatabaseError {
    /// The statement itself is refused, and will be again.
    var isRefusal: Bool {
        switch self {
        case .unavailable, .timeout, .cancelled, .serialization: false
        case .unique, .violation, .undefinedTable, .decoding: true
        // Class 22 and 42: the data, or the statement. A standby, a full queue or a full disk refuses what another
        // server takes a moment later.
        case .server(let state, _): state.hasPrefix("22") || state.hasPrefix("42")
        }
    }
}
