import Administration
import ArgumentParser
import Logging

/// Options of an import that reads the old server's database while it runs.
struct TiqrLiveOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            mysql://USER@HOST/DATABASE or postgresql://USER@HOST/DATABASE. Its password comes from MYSQL_PWD or \
            PGPASSWORD, or from stdin.
            """,
            valueName: "url"))
    var from: String?
    @Option(help: ArgumentHelp("Table of users there; without it `tiqruser`.", valueName: "name"))
    var usersTable: String?
    @Option(
        help: ArgumentHelp(
            "Table of secrets there; without it they stand in the users' column `secret`.", valueName: "name"))
    var secretsTable: String?
    @Flag(help: "Read the password of the old database from stdin.") var passwordStdin = false

    func validate() throws {
        guard let from else {
            guard usersTable == nil, secretsTable == nil, !passwordStdin else {
                throw ValidationError("--users-table, --secrets-table and --password-stdin go with --from")
            }
            return
        }
        for name in [usersTable, secretsTable].compactMap(\.self) {
            guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw ValidationError("a table's name has 1 to 64 characters, and none that cannot be seen")
            }
        }
        do { _ = try LiveSource(from) } catch { throw ValidationError(error.description) }
    }

    func read() async throws -> LiveTables {
        guard let from else { throw AdminFailure(.usage, "--from is missing") }
        let names = LiveTables.Names(users: usersTable ?? "tiqruser", secrets: secretsTable)
        let password = passwordStdin ? try AdminInput.password() : nil
        return try await LiveSource(from).read(
            names, password: password, logger: Logger(label: "pando.tiqr.import"))
    }
}
