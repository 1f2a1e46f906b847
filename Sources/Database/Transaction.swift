import Synchronization

/// An open transaction (READ COMMITTED) on a connection of its own. Valid within the closure it was given to;
/// afterwards every use throws SQLSTATE 25000. BEGIN travels with the first statement.
///
/// After an error the transaction can only end: PostgreSQL refuses further statements, and a COMMIT is refused here.
public final class Transaction: SQLExecutor {
    private let database: Database
    private let connection: Connection
    private let number: Int
    private let failure = Mutex<DatabaseError?>(nil)
    private let followUps = Mutex<[String: @Sendable () async throws -> Void]>([:])

    fileprivate init(_ database: Database, _ connection: Connection) {
        self.database = database
        self.connection = connection
        number = database.nextTransaction()
    }

    @discardableResult
    public func query(_ sql: SQL) async throws(DatabaseError) -> [Row] {
        try await run([Statement(sql)]).first?.rows ?? []
    }

    @discardableResult
    public func execute(_ sql: SQL) async throws(DatabaseError) -> Int {
        try await run([Statement(sql)]).first?.affected ?? 0
    }

    @discardableResult
    public func batch(_ statements: [SQL]) async throws(DatabaseError) -> [[Row]] {
        var ready: [Statement] = []
        for sql in statements { ready.append(try Statement(sql)) }
        return ready.isEmpty ? [] : try await run(ready).map(\.rows)
    }

    /// Many statements in one text, without values or results. The transaction must have begun.
    func script(_ text: String) async throws(DatabaseError) { _ = try await send(.script(number, text)) }

    private func run(_ statements: [Statement]) async throws(DatabaseError) -> [ResultSet] {
        try await send(.within(number, statements))
    }

    private func send(_ work: Request.Work) async throws(DatabaseError) -> [ResultSet] {
        // What was lost or cancelled may or may not have run: nothing may follow it.
        if let failure = failure.withLock({ $0 }) { throw failure }
        switch await database.perform(work, on: connection, until: database.deadline) {
        case .results(let results): return results
        case .failed(let error): throw remember(error)
        case .notSent: throw remember(.unavailable("connection lost"))
        }
    }

    private func remember(_ error: DatabaseError) -> DatabaseError {
        failure.withLock { if $0 == nil { $0 = error } }
        return error
    }

    /// Throws the first failure if the closure swallowed it; then nothing is committed.
    fileprivate func commit() async throws {
        if Task.isCancelled { _ = remember(.cancelled) }
        if let failure = failure.withLock({ $0 }) {
            await rollback()
            throw failure
        }
        switch await database.perform(.ending(number, .commit), on: connection, until: database.deadline) {
        case .results(let results):
            database.release(connection, reusable: true)
            // The server answers COMMIT of a failed transaction with a ROLLBACK, not with an error.
            if let tag = results.first?.tag, tag != "COMMIT" {
                throw DatabaseError.server(sqlState: "25P02", message: "the transaction had failed")
            }
        case .failed(let error):
            database.release(connection, reusable: false)
            if case .unavailable(let reason) = error {
                throw DatabaseError.unavailable("\(reason); whether the transaction was committed is unknown")
            }
            throw error
        case .notSent:
            database.release(connection, reusable: false)
            throw DatabaseError.unavailable("connection lost before commit")
        }
    }

    /// Done once behind the commit, however often it is asked for by this name. What it throws the transaction throws,
    /// which is committed all the same.
    public func whenCommitted(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        followUps.withLock { $0[name] = work }
    }

    fileprivate func followUp() async throws {
        for work in followUps.withLock({ Array($0.values) }) { try await work() }
    }

    /// Never fails: a connection that cannot roll back is closed, and the server rolls back.
    fileprivate func rollback() async {
        if case .results = await database.perform(
            .ending(number, .rollback), on: connection, until: .now + .seconds(database.settings.waitLimit))
        {
            database.release(connection, reusable: true)
        } else {
            database.release(connection, reusable: false)
        }
    }
}

/// A refusal that must leave a trace: returned from the transaction, committed, and thrown after commit.
public enum Outcome<Value: Sendable>: Sendable {
    case done(Value)
    case refused(any Error)
}

extension Database {
    /// Commits what `body` did, or rolls it back if `body` throws or its task is cancelled.
    nonisolated(nonsending) public func transaction<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let (transaction, value) = try await attempt(body)
        try await transaction.commit()
        try await transaction.followUp()
        return value
    }

    /// Does the whole work, then undoes it: for `--dry-run`.
    nonisolated(nonsending) public func rollingBack<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws -> Value {
        let (transaction, value) = try await attempt(body)
        await transaction.rollback()
        return value
    }

    /// Commits in both cases, then returns the value or throws the refusal. An error thrown by `body` rolls back.
    nonisolated(nonsending) public func settle<Value: Sendable>(
        _ body: (Transaction) async throws -> Outcome<Value>
    ) async throws -> Value {
        switch try await transaction(body) {
        case .done(let value): return value
        case .refused(let error): throw error
        }
    }

    nonisolated(nonsending) private func attempt<Value: Sendable>(
        _ body: (Transaction) async throws -> Value
    ) async throws -> (Transaction, Value) {
        let transaction = Transaction(self, try await acquire(.lease))
        do {
            return (transaction, try await body(transaction))
        } catch {
            await transaction.rollback()
            throw error
        }
    }
}
