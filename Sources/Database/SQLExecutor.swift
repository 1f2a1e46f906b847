/// Where statements may run: in autocommit on `Database`, or in a `Transaction`. A store's functions take one, and
/// their callers decide.
public protocol SQLExecutor: Sendable {
    @discardableResult
    func query(_ sql: SQL) async throws(DatabaseError) -> [Row]

    /// The number of rows affected.
    @discardableResult
    func execute(_ sql: SQL) async throws(DatabaseError) -> Int

    /// Results per statement, in one round trip. All or nothing.
    @discardableResult
    func batch(_ statements: [SQL]) async throws(DatabaseError) -> [[Row]]
}
