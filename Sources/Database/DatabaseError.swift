/// What can go wrong with a statement. Neither a case nor `description` holds a parameter or the contents of a row:
/// DETAIL is never read, and messages that quote values are cut.
public enum DatabaseError: Error, Sendable, Equatable {
    /// No connection, connection lost, shutting down, or none free in time. Whether a statement took effect is unknown
    /// when it was sent.
    case unavailable(String)
    /// `statement_timeout`.
    case timeout
    case cancelled
    case unique(constraint: String)
    /// Foreign key, check, exclusion; for NOT NULL the name is that of the column.
    case violation(constraint: String)
    /// Serialization failure or deadlock: the whole transaction may be tried again.
    case serialization
    case undefinedTable
    case decoding(column: String, expected: String)
    case server(sqlState: String, message: String)
}

extension DatabaseError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason): "the database is unavailable: \(reason)"
        case .timeout: "the statement took too long"
        case .cancelled: "the statement was cancelled"
        case .unique(let constraint): "unique constraint \(constraint) is violated"
        case .violation(let constraint): "constraint \(constraint) is violated"
        case .serialization: "the transaction collided with another one"
        case .undefinedTable: "the table does not exist"
        case .decoding(let column, let expected): "column \(column) is not \(expected)"
        case .server(let sqlState, let message): "\(message) (SQLSTATE \(sqlState))"
        }
    }

    /// The dimension of the error counter. Ours has no SQLSTATE for what never reached the server.
    var metricLabel: String {
        switch self {
        case .unavailable: "unavailable"
        case .timeout, .cancelled: "57014"
        case .unique: "23505"
        case .violation: "23000"
        case .serialization: "40001"
        case .undefinedTable: "42P01"
        case .decoding: "decoding"
        case .server(let sqlState, _): sqlState
        }
    }
}
