import Database
import Foundation
import Testing

@Suite("Migrations outside a transaction, and what status tells")
struct AloneMigrationTests {
    private static let table = "create table t (id int8, word text); insert into t values (1, 'a'), (1, 'b');"
    private static let index = """
        -- Why it is there.
        -- pando: no transaction
        create unique index concurrently t_id
            on t (id);
        create index concurrently if not exists t_word on t (word);

        """

    private func with(
        _ files: [String: String], patience: Migrator.Patience = .init(),
        _ body: (Database, Migrator, URL) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, text) in files { try Data(text.utf8).write(to: directory.appendingPathComponent(name)) }
        try await TestDatabase.with { (database) async throws in
            let migrator = Migrator(
                database: database, directory: directory, logger: TestDatabase.quiet, program: "pando 1.2",
                patience: patience)
            try await body(database, migrator, directory)
        }
    }

    private func validity(_ database: Database) async throws -> [String: Bool] {
        var found: [String: Bool] = [:]
        for row in try await database.query(
            """
            select c.relname::text as name, i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
            where i.indrelid = 't'::regclass
            """)
        {
            found[try row("name")] = try row("indisvalid")
        }
        return found
    }

    @Test(
        "one that fails in the middle is pending, and begins anew: what is invalid is made again, what is valid stays")
    func resumed() async throws {
        try await with(["0001_a.sql": Self.table, "0002_b.sql": Self.index]) { (database, migrator, _) async throws in
            let error = await #expect(throws: MigrationError.self) { try await migrator.migrate() }
            guard case .failed(file: "0002_b.sql", .unique(constraint: "t_id")) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            try await finish(database, migrator)
        }
    }

    private func finish(_ database: Database, _ migrator: Migrator) async throws {
        let pending = try await migrator.pending(), left = try await validity(database)
        #expect(pending == ["0002_b.sql"] && left == ["t_id": false])

        try await database.execute("delete from t where word = 'b'")
        try await database.executeAlone("create index t_word on t (word)")
        let applied = try await migrator.migrate(), whole = try await validity(database)

        #expect(applied == ["0002_b.sql"] && whole == ["t_id": true, "t_word": true])
        #expect(try await migrator.migrate() == [])
    }

    @Test("two at once apply it once")
    func concurrent() async throws {
        let text =
            "-- pando: no transaction\ncreate index concurrently t_word on t (word);\ninsert into t values (2, 'c');"
        try await with(["0001_a.sql": Self.table, "0002_b.sql": text]) { (database, migrator, _) async throws in
            async let one = migrator.migrate()
            async let other = migrator.migrate()

            #expect(try await (one + other).sorted() == ["0001_a.sql", "0002_b.sql"])
            #expect(try await database.query("select id from t").count == 3)
        }
    }

    @Test("a statement that takes a lock waits for it no longer than in other files, since all would wait behind it")
    func locked() async throws {
        let text = """
            -- pando: no transaction
            create index concurrently t_word on t (word);
            alter table t add column if not exists more int;
            """
        try await with(["0001_a.sql": Self.table], patience: .init(seconds: 0.05, tries: 2)) {
            (database, migrator, directory) async throws in
            try await migrator.migrate()
            try Data(text.utf8).write(to: directory.appendingPathComponent("0002_b.sql"))
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
            #expect(try await validity(database) == ["t_word": true])
        }
    }

    @Test(
        "text that is not cut into statements safely, or would begin a transaction, is refused before anything runs",
        arguments: ["insert into t values (3, 'd'); begin; commit;", "do $$ begin end $$;", "Commit;"])
    func inseparable(_ text: String) async throws {
        let file = "-- pando: no transaction\n" + text.replacing("; ", with: ";\n")
        try await with(["0001_a.sql": Self.table, "0002_b.sql": file]) { (database, migrator, _) async throws in
            await #expect(throws: MigrationError.inseparable(file: "0002_b.sql")) { try await migrator.migrate() }
            #expect(try await database.query("select id from t").count == 2)
        }
    }

    @Test("status tells what was applied, when and by whom, what is pending, and what waits for it")
    func status() async throws {
        let pending = """
            -- create index in_a_comment on t (id);
            create table u (id int); create index u_id on u (id);
            create index t_id on t (id); update t set word = null; alter table t add constraint c check (id > 0);
            alter table t alter column word type varchar, alter column id set not null;
            create index nowhere on not_there (id);
            """
        try await with(["0001_a.sql": Self.table]) { (database, migrator, directory) async throws in
            #expect(try await migrator.status().map(\.state) == [.pending])
            try await migrator.migrate()
            try await database.execute("insert into migration (name, checksum) values ('0009_z.sql', '')")
            try Data(pending.utf8).write(to: directory.appendingPathComponent("0010_c.sql"))
            try Data("select 1".utf8).write(to: directory.appendingPathComponent("0002_b.sql"))

            let all = try await migrator.status()

            #expect(all.map(\.file) == ["0001_a.sql", "0002_b.sql", "0009_z.sql", "0010_c.sql"])
            #expect(all.map(\.state) == [.applied, .late, .unknown, .pending])
            #expect(all[0].appliedAt != nil && all[0].appliedBy?.hasPrefix("pando 1.2, ") == true)
            #expect(all[3].notes.map(\.note.kind) == [.index, .rows, .check, .rewrite])
            #expect(all[3].notes.allSatisfy { $0.note.table == "t" })
            try Data("select 2".utf8).write(to: directory.appendingPathComponent("0001_a.sql"))
            #expect(try await migrator.status().first?.state == .changed)
        }
    }

    @Test("a database of an earlier version, whose table says nothing of who, goes on")
    func earlier() async throws {
        try await with(["0001_a.sql": Self.table]) { (database, migrator, _) async throws in
            try await database.execute(
                """
                create table migration (name text primary key, checksum bytea not null,
                    applied_at timestamptz not null default now())
                """)
            #expect(try await migrator.status().map(\.state) == [.pending])

            try await migrator.migrate()

            #expect(try await migrator.status().first?.appliedBy?.hasPrefix("pando 1.2, ") == true)
        }
    }
}
