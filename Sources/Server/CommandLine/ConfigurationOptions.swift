import Administration
import ArgumentParser
import Base
import Database
import Foundation
import Logging

extension ConfigurationOptions {
    public func values() async throws -> ConfigurationValues {
        var flags: [String: String] = [:]
        for pair in set {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ValidationError("--set takes key=value, not \(pair)") }
            flags[String(parts[0])] = String(parts[1])
        }
        if let config { flags["config"] = config }
        do {
            return try await ConfigurationValues(flags: flags)
        } catch let error as Settings.Unacceptable {
            throw ValidationError(error.description)
        }
    }
}

extension Settings {
    /// The pool on the configured database. Opens nothing until it is asked. A server's statements have a few seconds
    /// each, as somebody waits for its answer; commands may take longer.
    public func connect(
        connections: Int? = nil, forCommand isForCommand: Bool = false, _ logger: Logger
    ) throws -> Database {
        guard !database.isEmpty else {
            throw Unacceptable(
                description:
                    """
                    database: no connection string. Set PANDO_DATABASE, or use `pando dev`, which runs its own \
                    PostgreSQL
                    """
            )
        }
        var settings = Database.Settings(connectionString: database, connections: connections ?? databaseConnections)
        if isForCommand { settings.statementTimeout = 600 }
        let made = Database(settings, logger: logger)
        guard !made.isMalformed else {
            // libpq's own words may quote a password.
            throw Unacceptable(
                description: "database: the connection string is malformed; write host=… dbname=…, or postgresql://…")
        }
        return made
    }

    /// What applies and lists the migrations of the folder that the settings name, and finds some there.
    public func migrator(on database: Database, logger: Logger) throws -> Migrator {
        let names: [String]
        do { names = try Migrator.files(in: migrationsFolder) } catch let error as MigrationError {
            throw Unacceptable(description: "migrations: \(error)")
        }
        guard !names.isEmpty else {
            throw Unacceptable(description: "migrations: \(migrationsFolder.path) holds no migrations")
        }
        return Migrator(
            database: database, directory: migrationsFolder, logger: logger, program: "pando \(Version.text)")
    }

    public var migrationsFolder: URL { shipped(migrations, as: "migrations") }
    var commonPasswordsFile: URL { shipped(commonPasswords, as: "passwords/common.txt") }

    /// What comes with the program and is read at run time: as configured, and where nothing is, in the working
    /// directory or beside the program.
    private func shipped(_ path: String, as name: String) -> URL {
        let configured = URL(fileURLWithPath: path)
        guard path == name, !FileManager.default.fileExists(atPath: path) else { return configured }
        let program = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        let beside = program.resolvingSymlinksInPath().deletingLastPathComponent()
        let places = [".", "../share/pando", "../..", "../../.."].map {
            beside.appendingPathComponent("\($0)/\(name)").standardizedFileURL
        }
        return places.first { FileManager.default.fileExists(atPath: $0.path) } ?? configured
    }
}
