import Dispatch
import Foundation
import Logging
import Synchronization
import Traces

/// A pool of connections to one PostgreSQL database. Connects on demand, reconnects by itself, and never blocks a
/// thread of the caller.
public final class Database: SQLExecutor {
    public struct Settings: Sendable {
        /// A libpq conninfo string or URI; TLS by its `sslmode`. The environment (`PGPASSWORD` and so on) fills in what
        /// it leaves out.
        public var connectionString: String
        /// The most connections of the pool; each `listen` has one more.
        public var connections: Int
        /// How long the server may take for a statement, in seconds; 0 for no limit.
        public var statementTimeout: TimeInterval
        /// For a lone host; of several, each has two fifths of it. A `connect_timeout` in the connection string wins.
        public var connectTimeout: TimeInterval
        /// How long a caller waits for a connection before `unavailable`. From a server that says nothing, the answer
        /// to a statement is waited for as long, or half a second beyond its time limit where that is more.
        public var waitLimit: TimeInterval

        /// What its pool is doing is measured as the server's.
        public var isPrimary = true

        /// `nil` for no limit.
        var answerLimit: TimeInterval? { answerLimit(statementTimeout) }

        func answerLimit(_ timeLimit: TimeInterval) -> TimeInterval? {
            timeLimit > 0 ? max(waitLimit, timeLimit + 0.5) : nil
        }

        /// What is promised to clients, 503 within five seconds, stands in these defaults.
        public init(
            connectionString: String, connections: Int = 8, statementTimeout: TimeInterval = 4,
            connectTimeout: TimeInterval = 5, waitLimit: TimeInterval = 4.5
        ) {
            self.connectionString = connectionString
            self.connections = connections
            self.statementTimeout = statementTimeout
            self.connectTimeout = connectTimeout
            self.waitLimit = waitLimit
        }
    }

    let settings: Settings
    let logger: Logger
    let metrics = DatabaseMetrics()
    /// `nil` where the connection string is malformed: every use then says so, as an initialiser that throws would be a
    /// second way to fail.
    let conninfo: Conninfo?
    let pool: Mutex<Pool?>
    private let ears = Mutex<Listener?>(nil)
    private let transactions = Atomic(0)

    public init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
        conninfo = try? Conninfo(settings)
        pool = Mutex(nil)
        guard let conninfo else { return }
        let made = Pool(limit: settings.connections) { [weak self] id in
            Connection(id: id, conninfo: conninfo) { [weak self] in self?.handle($0, of: id) }
        }
        pool.withLock { $0 = made }
        let listener = Listener(conninfo: conninfo, logger: logger) { [weak self] in self?.call($0) }
        ears.withLock { $0 = listener }
    }

    /// Nothing can be reached by this connection string, whatever runs.
    public var isMalformed: Bool { conninfo == nil }

    /// `nil` where the connection string is malformed.
    var listener: Listener? { ears.withLock { $0 } }

    deinit {
        for member in pool.withLock({ $0?.members ?? [] }) { member.connection.shutDown() }
        listener?.stop()
    }

    /// One statement in autocommit; it may share a connection, in pipeline mode, with others.
    @discardableResult
    public func query(_ sql: SQL) async throws(DatabaseError) -> [Row] {
        try await run([Statement(sql)]).first?.rows ?? []
    }

    /// As `query`; the number of rows affected.
    @discardableResult
    public func execute(_ sql: SQL) async throws(DatabaseError) -> Int {
        try await run([Statement(sql)]).first?.affected ?? 0
    }

    /// All statements in one round trip and one implicit transaction, READ COMMITTED: each sees what was committed
    /// before it started. The first error wins and undoes everything.
    @discardableResult
    public func batch(_ statements: [SQL]) async throws(DatabaseError) -> [[Row]] {
        try await run(Database.ready(statements)).map(\.rows)
    }

    /// As `batch`, alone on its connection meanwhile: for what may wait for a lock, and holds nobody up who would come
    /// behind it.
    public func batchAlone(_ statements: [SQL]) async throws(DatabaseError) -> [[Row]] {
        try await runAlone(Database.ready(statements)).map(\.rows)
    }

    private static func ready(_ statements: [SQL]) throws(DatabaseError) -> [Statement] {
        var ready: [Statement] = []
        for sql in statements { ready.append(try Statement(sql)) }
        return ready
    }

    /// One statement alone on its connection and outside any transaction, for definitions that refuse to run in one.
    public func executeAlone(_ sql: SQL) async throws(DatabaseError) { _ = try await runAlone([Statement(sql)]) }

    /// Seconds that each statement may take which is begun by `body`, 0 for no limit, in place of the settings'. For
    /// what takes long by its nature: migrations, imports, housekeeping.
    nonisolated(nonsending) public static func withTimeLimit<Value>(
        _ seconds: TimeInterval, _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await $timeLimit.withValue(seconds) { try await body() }
    }

    @TaskLocal static var timeLimit: TimeInterval?

    /// Refuses new work, waits for what is in flight up to five seconds, then closes every connection.
    public func close() async {
        pool.withLock { $0?.close() }
        listener?.stop()
        let deadline = ContinuousClock.now + .seconds(5)
        while pool.withLock({ $0?.isQuiet == false }), ContinuousClock.now < deadline {
            // A cancelled caller still gets an orderly end, only without the wait.
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { break }
        }
        perform(pool.withLock { $0?.finish() ?? [] })
    }

    // MARK: Running

    private func run(_ statements: [Statement]) async throws(DatabaseError) -> [ResultSet] {
        guard !statements.isEmpty else { return [] }
        // What may take long holds nobody up who would come behind it.
        guard Database.timeLimit == nil else { return try await runAlone(statements) }
        // One deadline for the connection and the answer, so that a caller waits once.
        let deadline = self.deadline
        // Each round that sent nothing has removed a dead connection from the pool.
        for _ in 0...settings.connections {
            let connection = try await acquire(.shared(weight: statements.count))
            switch await perform(.shared(statements), on: connection, until: deadline) {
            case .results(let results): return results
            case .failed(let error): throw error
            case .notSent: continue
            }
        }
        throw .unavailable("connections are lost as soon as they are made")
    }

    private func runAlone(_ statements: [Statement]) async throws(DatabaseError) -> [ResultSet] {
        let deadline = self.deadline
        for _ in 0...settings.connections {
            let connection = try await acquire(.lease)
            let answer = await perform(.alone(statements), on: connection, until: deadline)
            switch answer {
            case .results(let results):
                release(connection, reusable: true)
                return results
            case .failed(let error):
                // What was given up may still run there.
                if case .unavailable = error {
                    release(connection, reusable: false)
                } else {
                    release(connection, reusable: error != .cancelled)
                }
                throw error
            case .notSent:
                release(connection, reusable: false)
            }
        }
        throw .unavailable("connections are lost as soon as they are made")
    }

    /// One round trip, measured. Whoever has no answer by `deadline` learns `unavailable`; without one, there is none.
    func perform(
        _ work: Request.Work, on connection: Connection, until deadline: ContinuousClock.Instant?
    ) async -> Request.Answer {
        let ticket = Ticket(), timeLimit = Database.timeLimit.map { Int($0 * 1000) }
        let start = DispatchTime.now().uptimeNanoseconds
        trace(work)
        let span = StatementSpan(work)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connection.submit(
                    Request(ticket: ticket, work: work, deadline: deadline, timeLimit: timeLimit) {
                        continuation.resume(returning: $0)
                    })
            }
        } onCancel: {
            if case .ending = work { return }
            connection.cancel(ticket)
        }
        metrics.record(work, answer, nanoseconds: DispatchTime.now().uptimeNanoseconds - start)
        span?.end(answer)
        return answer
    }

    /// Of what is asked now.
    var deadline: ContinuousClock.Instant? {
        settings.answerLimit(Database.timeLimit ?? settings.statementTimeout).map { .now + .seconds($0) }
    }

    private func trace(_ work: Request.Work) {
        guard logger.logLevel <= .trace else { return }
        switch work {
        case .shared(let statements), .alone(let statements), .within(_, let statements):
            for statement in statements { logger.trace("sql", metadata: ["text": "\(statement.key.text)"]) }
        case .ending(_, let statement): logger.trace("sql", metadata: ["text": "\(statement.key.text)"])
        case .script: logger.trace("sql script")
        }
    }

    /// Numbers grow, so that a connection can tell a transaction that is over from the one that follows it.
    func nextTransaction() -> Int { transactions.add(1, ordering: .relaxed).newValue }

    // MARK: Pool

    func acquire(_ use: Pool.Use) async throws(DatabaseError) -> Connection {
        guard conninfo != nil else { throw .unavailable("the connection string is malformed") }
        if Task.isCancelled { throw .cancelled }
        if let connection = pool.withLock({ $0?.take(use) }) {
            reportUse()
            return connection
        }
        let ticket = Ticket(), start = ContinuousClock.now, wait = Phase.begin("wait for a connection")
        defer { wait?.end() }
        let granted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = ContinuousClock.now
                let waiter = Pool.Waiter(ticket: ticket, use: use, deadline: now + .seconds(settings.waitLimit)) {
                    continuation.resume(returning: $0)
                }
                perform(pool.withLock { $0?.enlist(waiter, now: now) ?? [] })
            }
        } onCancel: {
            ticket.cancel()
            perform(pool.withLock { $0?.withdraw(ticket, now: .now) ?? [] })
        }
        metrics.recordWait(since: start)
        reportUse()
        return try granted.get()
    }

    func release(_ connection: Connection, reusable: Bool) {
        perform(pool.withLock { $0?.release(connection.id, reusable: reusable, now: .now) ?? [] })
        reportUse()
    }

    private func handle(_ event: Connection.Event, of id: Int) {
        let now = ContinuousClock.now
        switch event {
        case .ready(isPooled: let isPooled):
            if isPooled { logger.debug("a pooler stands before PostgreSQL: statements go unnamed") }
            perform(pool.withLock { $0?.becameReady(id, now: now) ?? [] })
        case .finished(let weight):
            perform(pool.withLock { $0?.finished(id, weight: weight, now: now) ?? [] })
            reportUse()
        case .lost(let reason):
            logger.debug("database connection lost", metadata: ["reason": "\(reason)"])
            perform(pool.withLock { $0?.lost(id, reason: reason, now: now) ?? [] })
        case .notification: break
        }
    }

    private func perform(_ actions: [Pool.Action]) {
        for action in actions {
            switch action {
            case .start(let connection): connection.start()
            case .close(let connection): connection.shutDown()
            case .grant(let waiter, let result): waiter.resume(result)
            case .wake(let time):
                IOLoop.shared.async(after: time - .now) { [weak self] in
                    guard let self else { return }
                    perform(pool.withLock { $0?.tick(now: .now) ?? [] })
                }
            }
        }
    }

    /// What the pool does at this moment.
    public var use: PoolUse { pool.withLock { $0?.use } ?? PoolUse() }

    private func reportUse() {
        if settings.isPrimary { metrics.inUse.record(pool.withLock { $0?.inUse ?? 0 }) }
    }
}
