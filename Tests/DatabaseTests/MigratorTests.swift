import Database
import Foundation
import Testing

@Suite("Migrations")
struct MigratorTests {
    private func with(
        _ files: [String: String], patience: Migrator.Patience = .init(),
        _ body: (Database, Migrator, URL) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, text) in files { try Data(text.utf8).write(to: directory.appendingPathComponent(name)) }
        try await TestDatabase.with { (database) async throws in
            try await body(
                database,
                Migrator(database: database, directory: directory, logger: TestDatabase.quiet, patience: patience),
                directory)
        }
    }

    private let two = [
        "0002_b.sql": "insert into t values (2); insert into t select 3;",
        "0001_a.sql":
            """
        create table t (id int8);\n-- many statements; one $$ text\ncreate function f() returns int language
            sql as $$ select 1; $$;\ninsert into t values (1);
        """,
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

    @Test(
        """
        a table that somebody holds is not waited for without end: tried a few times, the file leaves nothing, and \
        is applied once the table is free
        """
    )
    func locked() async throws {
        try await with(["0001_a.sql": "create table t (id int)"], patience: .init(seconds: 0.05, tries: 2)) {
            (database, migrator, directory) async throws in
            try await migrator.migrate()
            try Data("create table u (id int); alter table t add column more int;".utf8).write(
                to: directory.appendingPathComponent("0002_b.sql"))
            try await database.transaction { transaction in
                try await transaction.execute("lock table t in access share mode")
                let error = await #expect(throws: MigrationError.self) { try await migrator.migrate() }
                guard case .failed(file: "0002_b.sql", .server(sqlState: "55P03", message: _)) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
            let pending = try await migrator.pending(), applied = try await migrator.migrate()
            #expect(pending == ["0002_b.sql"] && applied == pending)
        }
    }

    @Test("once whoever held the table has let go, a try that follows succeeds")
    func released() async throws {
        try await with(["0001_a.sql": "create table t (id int)"], patience: .init(seconds: 0.05, tries: 10_000)) {
            (database, migrator, directory) async throws in
            try await migrator.migrate()
            try Data("alter table t add column more int;".utf8).write(
                to: directory.appendingPathComponent("0002_b.sql"))
            let running = try await database.transaction { transaction in
                try await transaction.execute("lock table t in access share mode")
                let running = Task { try await migrator.migrate() }
                try await Task.sleep(for: .milliseconds(300))
                return running
            }
            let applied = try await running.value
            #expect(applied == ["0002_b.sql"])
        }
    }

    @Test("a file that fails leaves nothing; those before it stay")
    func failing() async throws {
        var files = two
        files["0002_b.sql"] = "insert into t values (2); select 1 / 0; insert into t values (3)"
        try await with(files) { (database, migrator, _) async throws in
            await #expect(
                throws: MigrationError.failed(
                    file: "0002_b.sql", .server(sqlState: "22012", message: "division by zero"))
            ) {
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
