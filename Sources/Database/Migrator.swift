import Base
import Foundation
import Logging

/// What keeps the schema from being brought up to date. `file` names the culprit.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
    case unreadable(String)
    /// Not `NNNN_name.sql`, or a number that stands twice.
    case misnamed(file: String)
    /// It was applied with other contents.
    case changed(file: String)
    /// One with a higher number has been applied already.
    case late(file: String)
    /// It ended the transaction it runs in; what it did is in an unknown state.
    case endedTransaction(file: String)
    /// Marked to run without a transaction, and with text that is not cut into statements safely.
    case inseparable(file: String)
    case failed(file: String, DatabaseError)

    public var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .misnamed(let file): "\(file) is not NNNN_name.sql with a number of its own"
        case .changed(let file): "\(file) has changed since it was applied"
        case .late(let file): "\(file) comes after one with a higher number was applied"
        case .endedTransaction(let file): "\(file) must not begin or end transactions"
        case .inseparable(let file): "\(file) runs without a transaction: no `$`, no `begin` or `commit` in it"
        case .failed(let file, let error): "\(file): \(error)"
        }
    }
}

/// Brings the schema up to date: files `NNNN_name.sql` in order, forward only, each in one transaction with its row in
/// `migration`.
///
/// A file with the line `-- pando: no transaction` runs statement by statement, each by itself, for what refuses to run
/// in a transaction (CREATE INDEX CONCURRENTLY). It may end in the middle, and begins anew then: what it made already
/// must do no harm a second time. An index that was left invalid is dropped first, one that is valid is passed over.
public struct Migrator: Sendable {
    /// "pando" in ASCII. Processes that start together take turns, file by file.
    private static let lock: Int64 = 0x70_61_6E_64_6F

    let database: Database
    let directory: URL
    private let logger: Logger
    /// What does it, beside the role of the database.
    private let program: String
    private let patience: Patience

    /// How long a file waits for a lock that somebody else has on a table, each time, and how often it is tried.
    /// Whoever comes after it waits behind it meanwhile.
    public struct Patience: Sendable {
        let seconds: Double, tries: Int

        public init(seconds: Double = 5, tries: Int = 6) { (self.seconds, self.tries) = (seconds, tries) }
    }

    public init(
        database: Database, directory: URL, logger: Logger, program: String = "pando", patience: Patience = Patience()
    ) {
        self.program = program
        self.database = database
        self.directory = directory
        self.logger = logger
        self.patience = patience
    }

    /// The names of all files of a folder, in order. Throws `MigrationError`.
    public static func files(in directory: URL) throws -> [String] { try MigrationFile.all(in: directory).map(\.name) }

    /// The files that `migrate` would apply, after the same checks.
    public func pending() async throws -> [String] {
        let files = try MigrationFile.all(in: directory)
        var applied: [String: [UInt8]] = [:]
        do {
            applied = try await Migrator.applied(database)
        } catch {
            guard error == .undefinedTable else { throw error }
        }
        return try pending(files, applied: applied).map(\.name)
    }

    /// Applies what is pending and returns the names of the files it applied itself.
    @discardableResult
    public func migrate() async throws -> [String] {
        var done: [String] = []
        for file in try MigrationFile.all(in: directory) where try await applyPatiently(file) {
            logger.info("migrated", metadata: ["file": "\(file.name)"])
            done.append(file.name)
        }
        return done
    }

    private func applyPatiently(_ file: MigrationFile) async throws -> Bool {
        for _ in 1..<max(1, patience.tries) {
            do { return try await apply(file) } catch  where Migrator.isLockedOut(error) {
                logger.warning(
                    "a migration waited in vain for a lock, and is tried again", metadata: ["file": "\(file.name)"])
                try await Task.sleep(for: .seconds(patience.seconds))
            }
        }
        return try await apply(file)
    }

    /// lock_not_available (PostgreSQL, Appendix A).
    private static func isLockedOut(_ error: any Error) -> Bool {
        switch error {
        case MigrationError.failed(file: _, .server(sqlState: "55P03", message: _)),
            DatabaseError.server(sqlState: "55P03", message: _):
            true
        default: false
        }
    }

    private func apply(_ file: MigrationFile) async throws -> Bool {
        let wait = "\(Int(patience.seconds * 1_000))ms"
        // Tables may be large: a migration takes its time. It does not take for ever when the server falls silent.
        return try await Database.withTimeLimit(86_400) { try await apply(file, waiting: wait) }
    }

    private func apply(_ file: MigrationFile, waiting wait: String) async throws -> Bool {
        while true {
            if let isDone = try await applyUnlessBusy(file, waiting: wait) { return isDone }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// `nil` while another migrates. It is asked again and not waited for: whoever waits in a statement holds a
    /// snapshot, and `create index concurrently` of the other would wait for that one's end.
    private func applyUnlessBusy(_ file: MigrationFile, waiting wait: String) async throws -> Bool? {
        try await database.transaction { transaction in
            let isMine = try await transaction.query("select pg_try_advisory_xact_lock(\(Migrator.lock)) as is_mine")
            guard try isMine.first?("is_mine") == true else { return nil }
            try await transaction.execute("select set_config('lock_timeout', \(wait), true)")
            try await Migrator.makeTable(in: transaction)
            guard try await !pending([file], applied: Migrator.applied(transaction)).isEmpty else { return false }
            if file.isInTransaction {
                try await run(file, in: transaction)
            } else {
                // The snapshot of the last query goes with the statement after it. With none, this transaction holds
                // the lock, and nothing waits for its end.
                try await transaction.execute("set local lock_timeout to default")
                try await runAlone(file, waiting: wait)
            }
            try await transaction.execute(
                """
                insert into migration (name, checksum, applied_by)
                values (\(file.name), \(file.checksum), concat_ws(', ', \(program)::text, current_user,
                    host(inet_client_addr())))
                """)
            return true
        }
    }

    private static func makeTable(in transaction: Transaction) async throws {
        let columns: Int64? = try await transaction.query(
            """
            select count(*) as columns from pg_attribute a
            where a.attrelid = to_regclass('migration') and a.attnum > 0 and not a.attisdropped
            """
        ).first?("columns")
        switch columns ?? 0 {
        case 0:
            try await transaction.execute(
                """
                create table migration (name text primary key, checksum bytea not null,
                    applied_at timestamptz not null default now(), applied_by text)
                """)
        case 3: try await transaction.execute("alter table migration add column applied_by text")
        default: break
        }
    }

    private func runAlone(_ file: MigrationFile, waiting wait: String) async throws {
        let statements = file.statements
        guard statements.allSatisfy(Migrator.standsAlone) else { throw MigrationError.inseparable(file: file.name) }
        do {
            for statement in statements {
                if let index = MigrationFile.concurrentIndex(of: statement) {
                    switch try await Migrator.isValid(index: index, in: database) {
                    case true?: continue
                    case false?: try await database.executeAlone("drop index concurrently \(identifier: index)")
                    case nil: break
                    }
                }
                if MigrationFile.refusesTransaction(statement) {
                    try await database.executeAlone("\(raw: statement)")
                } else {
                    try await database.transaction { transaction in
                        _ = try await transaction.query("select set_config('lock_timeout', \(wait), true)")
                        try await transaction.execute("\(raw: statement)")
                    }
                }
            }
        } catch let error as DatabaseError {
            throw MigrationError.failed(file: file.name, error)
        }
    }

    private static func standsAlone(_ statement: String) -> Bool {
        let first = statement.prefix { $0.isLetter }.lowercased()
        return !statement.contains("$")
            && !["begin", "start", "commit", "end", "rollback", "savepoint"].contains(first)
    }

    /// `nil` where there is no index of this name.
    private static func isValid(index: String, in executor: some SQLExecutor) async throws(DatabaseError) -> Bool? {
        try await executor.query("select i.indisvalid from pg_index i where i.indexrelid = to_regclass(\(index))").first
            .map { row throws(DatabaseError) in try row("indisvalid") }
    }

    private func run(_ file: MigrationFile, in transaction: Transaction) async throws {
        let before = try await Migrator.identity(transaction)
        do {
            try await transaction.script(file.text)
        } catch {
            throw MigrationError.failed(file: file.name, error)
        }
        guard try await Migrator.identity(transaction) == before else {
            throw MigrationError.endedTransaction(file: file.name)
        }
    }

    private static func identity(_ transaction: Transaction) async throws -> String {
        try await transaction.query("select pg_current_xact_id()::text as id").first?("id") ?? ""
    }

    private static func applied(_ executor: some SQLExecutor) async throws(DatabaseError) -> [String: [UInt8]] {
        var applied: [String: [UInt8]] = [:]
        for row in try await executor.query("select name, checksum from migration") {
            applied[try row("name")] = try row("checksum") as [UInt8]
        }
        return applied
    }

    private func pending(_ files: [MigrationFile], applied: [String: [UInt8]]) throws -> [MigrationFile] {
        let last = applied.keys.max() ?? ""
        return try files.filter { file in
            guard let checksum = applied[file.name] else {
                guard file.name > last else { throw MigrationError.late(file: file.name) }
                return true
            }
            guard checksum == file.checksum else { throw MigrationError.changed(file: file.name) }
            return false
        }
    }
}
