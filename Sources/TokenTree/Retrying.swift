import Database

extension Database {
    /// A transaction that is run again when PostgreSQL had to break a deadlock or a serialisation conflict. `body` must
    /// be able to run anew.
    public func atomically<Value: Sendable>(_ body: (Transaction) async throws -> Value) async throws -> Value {
        for _ in 0..<4 {
            do { return try await transaction(body) } catch DatabaseError.serialization { continue }
        }
        return try await transaction(body)
    }

    /// The same for statements that are a transaction of their own, in one round trip, and may wait for a lock.
    public func atomically(_ statements: [SQL]) async throws -> [[Row]] {
        for _ in 0..<4 {
            do { return try await batchAlone(statements) } catch DatabaseError.serialization { continue }
        }
        return try await batchAlone(statements)
    }

    /// The same for transactions whose refusal must leave a trace.
    public func settling<Value: Sendable>(_ body: (Transaction) async throws -> Outcome<Value>) async throws -> Value {
        for _ in 0..<4 {
            do { return try await settle(body) } catch DatabaseError.serialization { continue }
        }
        return try await settle(body)
    }
}
