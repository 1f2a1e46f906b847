/// One row of a result. Rows of one result share its memory.
public struct Row: Sendable {
    let result: ResultSet
    let index: Int

    /// The value of a column by its name: `let id: UUID = try row("id")`.
    /// Throws `decoding` when there is no such column, when its type is not `T`'s, and for NULL unless `T` is optional.
    public func callAsFunction<T: SQLDecodable>(_ column: String) throws(DatabaseError) -> T {
        guard let position = result.columns.firstIndex(of: column) else {
            throw .decoding(column: column, expected: "in the result")
        }
        do {
            if let bytes = result.bytes(row: index, column: position) {
                return try T(sqlBytes: bytes, type: result.types[position])
            }
            guard let null = T.sqlNull else { throw NotDecodable() }
            return null
        } catch {
            throw .decoding(column: column, expected: "\(T.self)")
        }
    }

    public func callAsFunction<T: SQLDecodable>(_ column: String, as type: T.Type) throws(DatabaseError) -> T {
        try self(column)
    }

    /// The names of the columns, in order.
    public var columns: [String] { result.columns }
}
