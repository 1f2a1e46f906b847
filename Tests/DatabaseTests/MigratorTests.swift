import Database
import Foundation
import Testing

@Suite("Migrations")
struct MigratorTests {
    private func with(_ files: [String: String], _ body: (Database, Migrator, URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, text) in files { try Data(text.utf8).write(to: directory.appendingPathComponent(name)) }
        try await TestDatabase.with { (database) async throws in
            try await body(database, Migrator(database: database, directory: directory, logger: TestDatabase.quiet), directory)
        }
    }

    private let two = [
        "0002_b.sql": "insert into t values (2); insert into t select 3;",
        "0001_a.sql": "create table t (id int8);\n-- many statements; one $$ text\ncreate function f() returns int language sql as $$ select 1; $$;\ninsert into t values (1);",
        "README.md": "not a migration",
    ]

    @Test("files run in order, once, many statements each")
    func order() async throws {
        try await with(two) { (database, migrator, _) async throws in
            #expect(try await migrator.pending() == ["0001_a.sql", "0002_b.sql"])
            #expect(try await migrator.migrate() == ["0001_a.sql", "0002_b.sql"])

            #expect(try await migrator.pending() == [])
            #expect(try await migrator.migrate() == [])
            #expect(try await database.query("select id from t order by id").map { try $0("id") as Int } == [1, 2, 3])
        }
    }

    @Test("a file that changed after it was applied is refused by name")
    func changed() async throws {
        try await with(two) { (_, migrator, directory) async throws in
            try await migrator.migrate()
            try Data("select 1".utf8).write(to: directory.appendingPathComponent("0001_a.sql"))

            await #expect(throws: MigrationError.changed(file: "0001_a.sql")) { try await migrator.migrate() }
            await #expect(throws: MigrationError.changed(file: "0001_a.sql")) { try await migrator.pending() }
        }
    }

    @Test("two migrators at once apply each file once")
    func concurrent() async throws {
        try await with(two) { (database, migrator, _) async throws in
            async let one = migrator.migrate()
            async let other = migrator.migrate()

            #expect(try await (one + other).sorted() == ["0001_a.sql", "0002_b.sql"])
            #expect(try await database.query("select id from t").count == 3)
        }
    }

    @Test("a file that fails leaves nothing; those before it stay")
    func failing() async throws {
        var files = two
        files["0002_b.sql"] = "insert into t values (2); select 1 / 0; insert into t values (3)"
        try await with(files) { (database, migrator, _) async throws in
            await #expect(throws: MigrationError.failed(file: "0002_b.sql", .server(sqlState: "22012", message: "division by zero"))) {
                try await migrator.migrate()
            }

            #expect(try await database.query("select id from t").map { try $0("id") as Int } == [1])
            #expect(try await migrator.pending() == ["0002_b.sql"])
        }
    }

    @Test("a file may not end its transaction, and a late or misnamed one is refused")
    func refused() async throws {
        try await with(["0001_a.sql": "create table x (id int); commit; begin;"]) { (_, migrator, _) async throws in
            await #expect(throws: MigrationError.endedTransaction(file: "0001_a.sql")) { try await migrator.migrate() }
        }
        try await with(["0002_b.sql": "select 1"]) { (_, migrator, directory) async throws in
            try await migrator.migrate()
            try Data("select 1".utf8).write(to: directory.appendingPathComponent("0001_a.sql"))
            await #expect(throws: MigrationError.late(file: "0001_a.sql")) { try await migrator.migrate() }
        }
        try await with(["1_a.sql": "select 1"]) { (_, migrator, _) async throws in
            await #expect(throws: MigrationError.misnamed(file: "1_a.sql")) { try await migrator.migrate() }
        }
    }
}
