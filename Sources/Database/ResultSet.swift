import CLibPQ

/// The result of one statement.
///
/// `@unchecked Sendable`: libpq never touches a `PGresult` after `PQgetResult` returned it, every function called here
/// only reads it, and it is freed once, by `deinit`.
final class ResultSet: @unchecked Sendable {
    private let result: OpaquePointer
    let columns: [String]
    let types: [SQLType]
    /// Rows returned, whatever the command.
    let count: Int
    /// Rows affected; 0 for commands that affect none.
    let affected: Int
    /// The command tag, such as `INSERT 0 1`.
    let tag: String

    /// Takes ownership of `result`.
    init(_ result: OpaquePointer) {
        self.result = result
        let width = PQnfields(result)
        columns = (0..<width).map { PQfname(result, $0).map { String(cString: $0) } ?? "" }
        types = (0..<width).map { SQLType(rawValue: PQftype(result, $0)) }
        count = Int(PQntuples(result))
        affected = PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        tag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
    }

    deinit { PQclear(result) }

    var rows: [Row] { (0..<count).map { Row(result: self, index: $0) } }

    /// `nil` is NULL.
    func bytes(row: Int, column: Int) -> [UInt8]? {
        let (row, column) = (Int32(row), Int32(column))
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return nil }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column))))
    }
}
