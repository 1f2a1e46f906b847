/// A standby whose every answer carries the proof that it is young enough (`ReadReplica`), read on the connection that
/// gives it: where several hosts stand in the connection string, each connection may be another one's, and what one has
/// shown says nothing of the next.
struct ProvenStandby: SQLExecutor {
    let database: Database
    /// The number that this process wrote last, as far as it is there.
    let number: SQL
    /// Whether that number proves enough.
    let isProof: @Sendable (Int) -> Bool

    func query(_ sql: SQL) async throws(DatabaseError) -> [Row] { try await batch([sql]).first ?? [] }

    func execute(_ sql: SQL) async throws(DatabaseError) -> Int {
        throw .server(sqlState: "25006", message: "nothing is written at a read replica")
    }

    /// In one round trip, the number first: what follows is as new as it at least.
    func batch(_ statements: [SQL]) async throws(DatabaseError) -> [[Row]] {
        let results = try await database.batch([number] + statements)
        let shown: Int = try results.first?.first?("number") ?? 0
        guard isProof(shown) else { throw .unavailable("this standby is not known to be young enough") }
        return Array(results.dropFirst())
    }
}
