import Commands
import Testing

@Suite("docs/tiqr.md: what tiqr import is told of where the tables are")
struct TiqrImportOptionsTests {
    private static func parse(_ options: [String]) throws {
        _ = try Admin.parseAsRoot(
            [
                "tiqr", "import", "--identifier", "old.example", "--suite", "OCRA-1:HOTP-SHA1-6:QH10-S", "--owner",
                "house",
            ]
                + options)
    }

    @Test(
        "files or a database",
        arguments: [
            ["--users", "users", "--secrets", "secrets"], ["--from", "mysql://old@db.example/tiqr"],
            ["--from", "postgresql:///tiqr", "--users-table", "user", "--secrets-table", "s", "--password-stdin"],
            ["--from", "mysql://db.example/tiqr", "--people", "-"],
        ])
    func taken(options: [String]) {
        #expect(throws: Never.self) { try Self.parse(options) }
    }

    @Test(
        "never both, neither, or what belongs to the other; stdin is read once; a URL never has a password",
        arguments: [
            [], ["--users", "users", "--from", "mysql://db.example/tiqr"], ["--secrets", "secrets"],
            ["--from", "mysql://db.example/tiqr", "--secrets", "secrets"],
            ["--users", "users", "--users-table", "user"], ["--users", "users", "--secrets-table", "s"],
            ["--users", "users", "--password-stdin"],
            ["--from", "mysql://db.example/tiqr", "--password-stdin", "--people", "-"],
            ["--from", "mysql://db.example/tiqr", "--users-table", ""],
            ["--from", "mysql://db.example/tiqr", "--users-table", "a\u{1B}b"],
            ["--from", "mysql://db.example/tiqr", "--secrets-table", String(repeating: "a", count: 65)],
            ["--from", "mysql://old:hunter2@db.example/tiqr"], ["--from", "sqlite:///tiqr"],
        ])
    func refused(options: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Self.parse(options) }

        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
}
