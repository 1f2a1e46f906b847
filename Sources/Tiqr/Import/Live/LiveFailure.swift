import Administration

/// Why the old server's database could not be read (`--from`). No case holds a password: what servers and libraries
/// say names user and host at most.
enum LiveFailure: Equatable, AdminRefusal {
    /// No connection: nobody there, no trust in who is, or a user who may not come in.
    case unreachable(String)
    case refused(String)
    case noTable(String)
    case noColumn(String, table: String)
    case noLibrary

    var failure: AdminFailure {
        switch self {
        case .unreachable(let reason):
            AdminFailure(
                .unavailable, "the old database cannot be reached: \(PlainText.harmless(reason))",
                hint: "is it running, does --from name it, and is its password in the environment or on stdin?")
        case .refused(let reason):
            AdminFailure(.failed, "the old database refused: \(PlainText.harmless(reason))")
        case .noTable(let table):
            AdminFailure(
                .notFound, "the old database has no table \(PlainText.harmless(table))",
                hint: "--users-table and --secrets-table name what the old server's configuration has as `table`")
        case .noColumn(let column, let table):
            AdminFailure(.invalid, "\(PlainText.harmless(table)): there is no column \(column)")
        case .noLibrary:
            AdminFailure(
                .failed, "libmariadb.so.3 cannot be loaded, which speaks to MySQL and MariaDB",
                hint: "it is in Debian's package libmariadb3; or take the tables from files, by --users")
        }
    }
}
