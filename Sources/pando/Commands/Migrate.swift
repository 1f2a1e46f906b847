import Administration
import ArgumentParser
import Base
import Commands
import Database
import Foundation
import Server

/// `pando migrate`: brings the database to this version's schema; `migrate status` tells what was done, and what would.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database to this version's schema.", subcommands: [Apply.self, Status.self],
        defaultSubcommand: Apply.self)

    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Apply what is missing, which is what `pando migrate` does without a further word.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let settings = try await Bootstrap.settings(options)
            let logger = Bootstrap.logging(settings)
            try await Bootstrap.reporting {
                let database = try settings.connect(connections: 2, forCommand: true, logger)
                let applied = try await settings.migrator(on: database, logger: logger).migrate()
                print(applied.isEmpty ? "nothing to do" : applied.joined(separator: "\n"))
                await database.close()
            }
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List migrations: applied when and by whom, or pending, with what waits while they run.",
            discussion: """
                Changes nothing. Leaves 7 where a file is not as it was applied, or comes too late. What waits is read \
                from the SQL, and is a hint.
                """)

        @OptionGroup var common: AdminOptions

        func run() async throws {
            let settings = try await Looked.settings(common), logger = Bootstrap.logging(settings)
            var all: [MigrationStatus] = []
            try await Bootstrap.reporting {
                let database = try settings.connect(connections: 2, forCommand: true, logger)
                all = try await settings.migrator(on: database, logger: logger).status()
                await database.close()
            }
            try Terminal.$source.withValue(.init(Terminal.ofProcess)) {
                try AdminOutput.write(
                    .list(all.map(Status.json), next: nil), common,
                    preferred: ["status", "file", "applied_at", "applied_by", "notes"])
            }
            guard all.allSatisfy({ ![.changed, .late].contains($0.state) }) else {
                throw ExitCode(AdminFailure.Code.partial.exitStatus)
            }
        }

        private static func json(_ migration: MigrationStatus) -> JSONValue {
            [
                "file": .string(migration.file), "status": .string(migration.state.rawValue),
                "applied_at": JSONValue(migration.appliedAt?.rfc3339), "applied_by": JSONValue(migration.appliedBy),
                "transaction": .bool(migration.isInTransaction),
                "notes": JSONValue(strings: migration.notes.map { "\($0.note.text) (about \($0.rows) rows)" }),
            ]
        }
    }
}
