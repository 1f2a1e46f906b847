import Database
import Harness
import Logging
import Registration
import TokenTree

/// What the executable starts, over a database that cannot be reached and says so at once.
///
/// What comes before the first query runs as it does in production, and the query itself is the proof that all of it
/// passed.
enum ClosedServer {
    static let turner = Turner()
    static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    static let time = SettableClock()

    /// A string that libpq cannot read: no connection is ever tried.
    static let database = Database(.init(connectionString: "none", connections: 1), logger: logger)
    static let oneTime = OneTimeStore(
        database: database, partitions: PartitionKeeper(database: database, clock: time.clock, logger: logger))
    static let parts = certain("the server is built") {
        try turner.run {
            try await ServerParts(database, secrets: try .ofTests(), time: time, wire: Wire(), logger: logger)
        }.get()
    }

    /// Whether `error` says that all checks passed and the database was asked.
    static func isDatabase(_ error: any Error) -> Bool {
        if case DatabaseError.unavailable = error { true } else { false }
    }
}
