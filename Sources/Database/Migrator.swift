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
    case failed(file: String, DatabaseError)

    public var description: String {
        switch self {
        case .unreadable(let path): "\(path) cannot be read"
        case .misnamed(let file): "\(file) is not NNNN_name.sql with a number of its own"
        case .changed(let file): "\(file) has changed since it was applied"
        case .late(let file): "\(file) comes after one with a higher number was applied"
        case .endedTransaction(let file): "\(file) must not begin or end transactions"
        case .failed(let file, let error): "\(file): \(error)"
        }
    }
}

/// Brings the schema up to date: files `NNNN_name.sql` in order, forward only, each in one transaction with its row in
/// `migration`. Statements that refuse to run in a transaction (CREATE INDEX CONCURRENTLY) are not supported.
public struct Migrator: Sendable {
    private struct File {
        let name: String
        let text: String
        var checksum: [UInt8] { Digest.sha256(text) }
    }

    /// "pando" in ASCII. Processes that start together take turns, file by file.
    private static let lock: Int64 = 0x70_61_6E_64_6F

    private let database: Database
    private let directory: URL
    private let logger: Logger
    private let patience: Patience

    /// How long a file waits for a lock that somebody else has on a table, each time, and how often it is tried.
    /// Whoever comes after it waits behind it meanwhile.
    public struct Patience: Sendable {
        let seconds: Double, tries: Int

        public init(seconds: Double = 5, tries: Int = 6) { (self.seconds, self.tries) = (seconds, tries) }
    }

    public init(database: Database, directory: URL, logger: Logger, patience: Patience = Patience()) {
        self.database = database
        self.directory = directory
        self.logger = logger
        self.patience = patience
    }

    /// The files that `migrate` would apply, after the same checks.
    public func pending() async throws -> [String] {
        let files = try files()
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
        for file in try files() where try await applyPatiently(file) {
            logger.info("migrated", metadata: ["file": "\(file.name)"])
            done.append(file.name)
        }
        return done
    }

    private func applyPatiently(_ file: File) async throws -> Bool {
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

    private func apply(_ file: File) async throws -> Bool {
        let wait = "\(Int(patience.seconds * 1_000))ms"
        // Tables may be large: a migration takes its time. It does not take for ever when the server falls silent.
        return try await Database.withTimeLimit(86_400) { try await apply(file, waiting: wait) }
    }

    private func apply(_ file: File, waiting wait: String) async throws -> Bool {
        try await database.transaction { transaction in
            _ = try await transaction.batch([
                "select pg_advisory_xact_lock(\(Migrator.lock))", "select set_config('lock_timeout', \(wait), true)",
            ])
            try await transaction.execute(
                """
                create table if not exists migration (name text primary key, checksum bytea not null,
                    applied_at timestamptz not null default now())
                """)
            guard try await !pending([file], applied: Migrator.applied(transaction)).isEmpty else { return false }
            try await run(file, in: transaction)
            try await transaction.execute(
                "insert into migration (name, checksum) values (\(file.name), \(file.checksum))")
            return true
        }
    }

    private func run(_ file: File, in transaction: Transaction) async throws {
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

    private func pending(_ files: [File], applied: [String: [UInt8]]) throws -> [File] {
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

    private func files() throws -> [File] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path) else {
            throw MigrationError.unreadable(directory.path)
        }
        var numbers: Set<Substring> = []
        return try names.filter { $0.hasSuffix(".sql") }.sorted().map { name in
            guard name.wholeMatch(of: /[0-9]{4}_[a-z0-9_]+\.sql/) != nil, numbers.insert(name.prefix(4)).inserted else {
                throw MigrationError.misnamed(file: name)
            }
            let url = directory.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: url), let text = String(validating: data, as: UTF8.self),
                !text.utf8.contains(0)
            else {
                throw MigrationError.unreadable(url.path)
            }
            return File(name: name, text: text)
        }
    }
}
