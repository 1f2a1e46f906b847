import Base
import Database
import Foundation
import Logging
import Testing

@testable import Keys

/// A schema of its own in the database that PANDO_TEST_DATABASE names, with table `signing_key`; gone afterwards.
struct TestSchema {
    let database: Database
    /// Notifications cross schemas.
    let channel: String
    private let connectionString: String

    static let masterKey: MasterKey? = try? MasterKey(SecretBytes([UInt8](repeating: 1, count: 32)))
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func with(_ body: (TestSchema) async throws -> Void) async throws {
        guard let base = ProcessInfo.processInfo.environment["PANDO_TEST_DATABASE"] else {
            Issue.record("PANDO_TEST_DATABASE names no database (a libpq conninfo string); signing keys are not tested")
            return
        }
        let name = "keys_test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let outside = Database(.init(connectionString: base, statementTimeout: 600, waitLimit: 600), logger: logger)
        try await outside.execute("create schema \(identifier: name)")
        let separator = !base.contains("://") ? " " : base.contains("?") ? "&" : "?"
        let option = base.contains("://") ? "options=-csearch_path%3D\(name)" : "options='-csearch_path=\(name)'"
        let schema = TestSchema(connectionString: base + separator + option, channel: name)
        do {
            try await schema.migrate()
            try await body(schema)
        } catch {
            Issue.record(error)
        }
        await schema.database.close()
        try await outside.execute("drop schema \(identifier: name) cascade")
        await outside.close()
    }

    private init(connectionString: String, channel: String) {
        self.channel = channel
        self.connectionString = connectionString
        database = Database(
            .init(connectionString: connectionString, statementTimeout: 600, waitLimit: 600), logger: TestSchema.logger)
    }

    private func migrate() async throws {
        // The test may be built through a symbolic link.
        let tests = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        for name in ["0002_keys", "0006_web"] {
            let file = tests.appending(path: "../../migrations/\(name).sql")
            for statement in try String(contentsOf: file, encoding: .utf8).split(separator: ";")
            where statement.contains(#/(create|alter).* signing_key|create .* sealed_secret/#) {
                try await database.execute("\(raw: String(statement))")
            }
        }
    }

    /// Another process: with connections of its own.
    func another() -> Database {
        Database(
            .init(connectionString: connectionString, statementTimeout: 600, waitLimit: 600), logger: TestSchema.logger)
    }

    func keys(
        _ time: SettableClock, database: Database? = nil, masterKey: MasterKey? = TestSchema.masterKey,
        settings: SigningKeys.Settings = .init()
    ) throws -> SigningKeys {
        SigningKeys(
            database: database ?? self.database, masterKey: try #require(masterKey), settings: settings,
            clock: time.clock,
            randomness: .system, logger: TestSchema.logger, channel: channel)
    }

    /// A process with keys, which is told of changes while `body` runs and not afterwards.
    func listening(_ time: SettableClock, _ body: (SigningKeys) async throws -> Void) async throws {
        let keys = try self.keys(time)
        try await keys.ensure()
        let watch = Task { await keys.watch() }
        defer { watch.cancel() }
        #expect(try await eventually { await keys.isCertain })
        try await body(keys)
        watch.cancel()
        await watch.value
        #expect(await !keys.isCertain)
    }

    /// Lets a key sign from now on, of which nobody is told.
    func activateInSilence(_ key: PrivateSigningKey, at now: Date) async throws {
        try await database.execute("update signing_key set status = 'retiring' where status = 'active'")
        try await SigningKeyRow.insert(
            key, sealed: [], sealedBy: "x", status: .active, at: now, notBefore: now, database)
    }
}

/// Polls for up to half a minute.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<1_500 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}

extension SigningKeys {
    /// `nil` where there is none or more than one.
    func only(_ status: SigningKeyRow.Status, in schema: TestSchema) async throws -> SigningKeyRow? {
        let rows = try await list(schema.database).filter { $0.status == status }
        return rows.count == 1 ? rows.first : nil
    }

    func token() async throws -> JWT { try JWT(await sign(type: "at+jwt", claims: ["sub": "ada"])) }
}
