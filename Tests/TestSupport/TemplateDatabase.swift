import Base
import Database
import Foundation
import TokenTree

/// What the databases of tests are copied from: to migrate each would take most of the time of most tests.
///
/// Its name says of which migrations and partitions it is, so the next run finds it, where the server is not thrown
/// away; one that was left half made has another name.
actor TemplateDatabase {
    private static let made = TemplateDatabase()
    private var names: [String: Task<String, any Error>] = [:]

    /// Made by whoever needs it first.
    static func name(in server: String) async throws -> String { try await made.name(in: server) }

    private func name(in server: String) async throws -> String {
        if let known = names[server] { return try await known.value }
        let making = Task { try await TemplateDatabase.make(in: server) }
        names[server] = making
        return try await making.value
    }

    private static func make(in server: String) async throws -> String {
        let start = SettableClock().clock
        var text = "\(start.now().numericDate)"
        for folder in [Checkout.folder("migrations"), Checkout.folder("Sources/TokenTree")] {
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "sql" || $0.lastPathComponent.hasPrefix("Partition") }
            for file in files.sorted(by: { $0.path < $1.path }) {
                text += try String(contentsOf: file, encoding: .utf8)
            }
        }
        let name = "pando_template_" + Hexadecimal.encode(Digest.sha256(Array(text.utf8)).prefix(8))
        let draft = name + "_" + UUID().uuidString.prefix(8).lowercased()
        let admin = Database(
            .init(connectionString: server, connections: 1, statementTimeout: 600, waitLimit: 600), logger: .quiet)
        let result: Result<Void, any Error>
        do {
            let found: Bool = try await admin.value(
                "select exists (select from pg_database where datname = \(name))")
            if !found {
                _ = try await admin.execute("create database \(identifier: draft)")
                try await fill(TestDatabase.naming(draft, in: server), start)
                _ = try await admin.execute("alter database \(identifier: draft) rename to \(identifier: name)")
            }
            result = .success(())
        } catch { result = .failure(error) }
        await admin.close()
        try result.get()
        return name
    }

    private static func fill(_ conninfo: String, _ start: WallClock) async throws {
        let database = Database(
            .init(connectionString: conninfo, connections: 2, statementTimeout: 600, waitLimit: 600), logger: .quiet)
        let result: Result<Void, any Error>
        do {
            try await Migrator(database: database, directory: Checkout.folder("migrations"), logger: .quiet).migrate()
            try await PartitionKeeper(database: database, clock: start, logger: .quiet).makeAhead()
            result = .success(())
        } catch { result = .failure(error) }
        await database.close()
        try result.get()
    }
}
