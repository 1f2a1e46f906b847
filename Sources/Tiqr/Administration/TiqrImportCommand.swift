import Administration
import ArgumentParser
import Base
import Foundation
import Registration

extension TiqrCommand {
    /// Keeps its own transactions, one for each batch, so this is no `AdminChange`. A dry run unless `--yes` is said.
    struct Import: AdminCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take over the phones of a tiqr-server-libphp: a dry run, unless --yes is said.",
            discussion:
                """
                The tables come from the old database itself (--from), or as `mysql --batch`, `psql --csv` or \
                `sqlite3 -header -csv` write them (--users); docs/tiqr.md has the commands, and what else must move.
                """
        )
        static let example: String? =
            "--users users --identifier login.example.org --suite OCRA-1:HOTP-SHA1-6:QH10-S --owner client:ID"

        @Option(help: ArgumentHelp("Table of users; - is stdin.", valueName: "file"), completion: .file()) var users:
            String?
        @Option(
            help: ArgumentHelp(
                "Table of secrets; without it they stand in the users' column `secret`.", valueName: "file"),
            completion: .file()) var secrets: String?
        @OptionGroup(title: "The old database itself") var live: TiqrLiveOptions
        @Option(
            help: ArgumentHelp("Keys of encrypted secrets, one `id: hexadecimal` a line.", valueName: "file"),
            completion: .file()) var encryptionKey: String?
        @Option(help: ArgumentHelp("Service identifier that the phones know.", valueName: "host")) var identifier:
            String
        @Option(help: "OCRA suite of the old server, to the letter: with another one every answer is wrong.") var suite:
            String
        @Option(help: "house, for people of this IdP, or client:ID.") var owner: String
        @Option(
            help: ArgumentHelp(
                """
                Table with userid and person: the account as username or UUID, or the client's external id. Without \
                it the userid is that.
                """,
                valueName: "file"), completion: .file()) var people: String?
        @Option(
            help: ArgumentHelp(
                "How long the old server's temporary blocks last; 0 where it had none.", valueName: "minutes"))
        var temporaryBlock = 0
        @Option(help: "What phones that enroll later show for the identifier, if it is not there yet.") var displayName:
            String?
        @Option(
            help: ArgumentHelp(
                "Only this one; may be repeated. Begin with one phone, and let it log in.", valueName: "userid"))
        var only: [String] = []
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard (users == nil) != (live.from == nil) else {
                throw ValidationError("--users takes the table from a file, --from from the old database: say one")
            }
            guard live.from == nil || secrets == nil else {
                throw ValidationError("--secrets is a file; with --from say --secrets-table")
            }
            let readers = [users, secrets, encryptionKey, people].count { $0 == "-" }
            guard readers + (live.passwordStdin ? 1 : 0) < 2 else {
                throw ValidationError("only one of the files, or the password, can be stdin")
            }
            guard !(change.yes && change.dryRun) else {
                throw ValidationError("--yes imports, --dry-run does not: say one")
            }
        }

        func run(on runner: AdminRunner) async throws {
            try await runner.run(common, reason: change.reason) { session in
                let isDryRun = !change.yes
                let tiqr = try session.tiqr, plan = try await importPlan(session, of: tiqr)
                let (users, secrets) = try await tables()
                let progress = ProgressLine(isOn: isatty(STDERR_FILENO) != 0 && !common.json)
                progress.begin(only.isEmpty ? users.lines.count : only.count)
                let importer = TiqrImport(tiqr, plan: plan, actor: session.actor)
                let report = try await importer.run(users: users, secrets: secrets, isDryRun: isDryRun) {
                    progress.show(done: $0, failed: $1)
                }
                progress.end()
                var result: JSONObject = [
                    "identifier": .string(identifier), "suite": .string(suite), "owner": .string(plan.owner.name),
                ]
                for (name, value) in report.json { result[name] = value }
                result["dry_run"] = .bool(isDryRun)
                try AdminOutput.writeDone(.object(result), common)
                if isDryRun, !change.dryRun {
                    FileHandle.standardError.write(Data("pando: nothing was changed; --yes imports\n".utf8))
                }
                await session.database.close()
                if !report.problems.isEmpty { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
            }
        }

        private func importPlan(_ session: AdminSession, of tiqr: TiqrService) async throws -> ImportPlan {
            let people = try self.people.map { try named($0, ImportPlan.people(table($0))) }
            let keys = try encryptionKey.map { try named($0, StorageKeys(AdminInput.text($0))) }
            let owner = try await importOwner(session), name = displayName ?? tiqr.settings.displayName
            return ImportPlan(
                identifier: identifier, displayName: name, suite: suite, owner: owner, people: people,
                keys: keys ?? StorageKeys.none,
                temporaryBlock: temporaryBlock, only: Set(only))
        }

        private func importOwner(_ session: AdminSession) async throws -> ImportPlan.Owner {
            if owner == "house" { return .identityProvider }
            guard owner.hasPrefix("client:") else { throw AdminFailure(.usage, "--owner takes house or client:ID") }
            let id = String(owner.dropFirst("client:".count))
            guard try await session.clients.find(id, in: session.executor) != nil else {
                throw AdminFailure(.notFound, "there is no client \(id)")
            }
            return .client(id)
        }

        private func tables() async throws -> (users: ExportedTable, secrets: ExportedTable?) {
            guard let users else {
                let tables = try await live.read()
                return (tables.users, tables.secrets)
            }
            return (try table(users), try secrets.map { try table($0) })
        }

        private func table(_ path: String) throws -> ExportedTable {
            try named(path, ExportedTable(AdminInput.text(path)))
        }

        /// What is wrong with a file, with its name.
        private func named<Value>(_ path: String, _ read: @autoclosure () throws -> Value) throws -> Value {
            do { return try read() } catch let error as ExportedTable.Malformed {
                throw AdminFailure(.invalid, "\(path): \(error)")
            } catch let error as StorageKeys.Malformed {
                throw AdminFailure(.invalid, "\(path): \(error)")
            }
        }
    }
}
