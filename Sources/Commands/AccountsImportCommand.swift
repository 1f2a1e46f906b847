import Accounts
import Administration
import ArgumentParser
import Base
import Database
import Foundation
import OAuth
import TokenTree

extension AccountsCommand {
    /// `accounts import`: people of a file. On the command line 500 lines are a transaction each, so that a large file
    /// holds nothing up, and what was done stays when it is broken off (from afar see `RemoteImport`); elsewhere a file
    /// is small, and one transaction.
    struct Import: AdminChange {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Make and change accounts by a CSV file.",
            discussion: """
                The first line names the columns: \(DirectoryMember.all.map(\.word).joined(separator: ", ")). Several \
                values of an attribute stand in one field with ; between. Accounts have no password: --invite makes a \
                link for each new one. What is as the file has it is passed over, so run it again when it was broken \
                off. --dry-run tells what would happen.
                """)
        static var route: AdminRoute? { AdminRoute("POST", "/accounts/import") }

        @Argument(help: "CSV file in UTF-8 with a header line; - is stdin.", completion: .file()) var file: String
        @Option(help: "Institution of all people in the file.") var institution: String?
        @Option(
            help: ArgumentHelp(
                "What a column is, by the name in the header line; may be repeated.", valueName: "column=member"))
        var map: [String] = []
        @Option(help: "What stands between fields: comma, semicolon or tab.") var separator = "comma"
        @Flag(help: "Change accounts that are there, known by external_id or username.") var update = false
        @Flag(help: "Suspend active people of the institution who are not in the file.") var suspendMissing = false
        @Flag(help: "Make a link for each new account, mailed where mail is on, with which it gets a password.")
        var invite = false
        @Option(help: "Language of the mail: en, de, fr, it.") var language: String?
        @Flag(help: "Stop at the first line that is refused, and at a column without a meaning.") var strict = false
        @Option(help: "New file for what became of each line, as JSON Lines; links stand there alone.")
        var report: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        var question: String? {
            suspendMissing
                ? "Suspend people of \(institution ?? "") who are not in the file, and end all their tokens?" : nil
        }

        func validate() throws {
            guard !suspendMissing || institution != nil else {
                throw ValidationError("--suspend-missing needs --institution: of whom nobody else is meant")
            }
            guard ["comma", "semicolon", "tab"].contains(separator) else {
                throw ValidationError("--separator takes comma, semicolon or tab")
            }
            guard language.map(["en", "de", "fr", "it"].contains) ?? true else {
                throw ValidationError("--language takes en, de, fr or it")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard report == nil else { throw AdminFailure(.usage, "report is for the command line") }
            var run = try await AccountsImport(self, session, file: nil, progress: nil)
            try await run.lines { try await $0(session.executor, session) }
            // As `accounts suspend` asks for it; that a line does so is known by now, and undone where it is not there.
            if run.suspends, !change.dryRun { try AdminPermissions.requireFreshLogin(in: session) }
            if suspendMissing { try await run.suspend { try await $0(session.executor, session) } }
            return run.result(withLinks: !change.dryRun)
        }

        func run(on runner: AdminRunner) async throws {
            guard common.watch == nil else { throw AdminFailure(.usage, "--watch is for commands that only look") }
            if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
            var hasRefusals = false
            let isRemote = try await runner.remotely(common) { told in
                if case .object(let counts) = told { hasRefusals = (counts["refused"]?.integer ?? 0) > 0 }
                try AdminOutput.writeDone(told, common)
            }
            guard !isRemote else {
                if hasRefusals { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
                return
            }
            try await runner.run(common, reason: change.reason) { session in
                let progress = ProgressLine(isOn: isatty(STDERR_FILENO) != 0 && !common.json)
                var run = try await AccountsImport(self, session, file: report, progress: progress)
                defer { progress.end() }
                let chunk: AccountsImport.Chunk = { work in
                    if change.dryRun {
                        try await session.database.rollingBack { try await work($0, session) }
                    } else {
                        try await session.database.atomically { try await work($0, session) }
                    }
                }
                try await run.lines(chunk)
                if suspendMissing { try await run.suspend(chunk) }
                progress.end()
                try AdminOutput.writeDone(.object(run.result(withLinks: false)), common)
                if run.hasRefusals { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
            }
        }
    }
}
