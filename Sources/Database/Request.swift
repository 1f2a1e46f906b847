import Synchronization

/// One round trip: what is sent up to one Sync, and who waits for it.
struct Request: Sendable {
    enum Work: Sendable {
        /// Autocommit; all statements in one implicit transaction. Others may be ahead and behind in the pipeline.
        case shared([Statement])
        /// In the transaction of that number, which begins with its first statement.
        case within(Int, [Statement])
        /// COMMIT or ROLLBACK of that transaction; nothing is sent if it never began.
        case ending(Int, Statement)
        /// A file of statements in the transaction of that number.
        case script(Int, String)
        /// As `shared`, on a connection that nobody else uses meanwhile.
        case alone([Statement])

        /// Of what is autocommitted.
        var statements: [Statement]? {
            switch self {
            case .shared(let statements), .alone(let statements): statements
            case .within, .ending, .script: nil
            }
        }
    }

    enum Answer: Sendable {
        case results([ResultSet])
        case failed(DatabaseError)
        /// The connection was gone before anything was sent: safe to try on another.
        case notSent
    }

    let ticket: Ticket
    let work: Work
    /// When its caller goes without an answer; `nil`: never.
    var deadline: ContinuousClock.Instant?
    /// Milliseconds the server may take, where that is not what the session says; 0 for no limit.
    var timeLimit: Int?
    let complete: @Sendable (Answer) -> Void

    /// How much it adds to a shared connection's load.
    var weight: Int { if case .shared(let statements) = work { statements.count } else { 0 } }
}

/// Identifies a request to its canceller. The flag is set before the connection is told, so that a cancellation which
/// overtakes its request is seen when the request arrives.
final class Ticket: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .acquiring) }
    func cancel() { flag.store(true, ordering: .releasing) }
}
