import Base
import Database
import Foundation
import Logging
import Testing

@testable import Server

@Suite("pando doctor")
struct DoctorTests {
    private static let now = Date(numericDate: 1_800_000_000)
    private static let day: TimeInterval = 86_400

    @Test(
        "a certificate is told of two weeks before it ends",
        arguments: [(-1.0, Finding.Status.error), (3, .warning), (13, .warning), (15, .ok)])
    func certificate(days: Double, status: Finding.Status) {
        let found = OutsideChecks.certificate(until: Self.now + days * Self.day + 60, at: Self.now)

        #expect(found.status == status)
        #expect((found.advice == nil) == (status == .ok))
    }

    @Test(
        "a signing key that housekeeping should have changed is an error",
        arguments: [(10.0, Finding.Status.ok), (91, .ok), (95, .error)])
    func key(days: Double, status: Finding.Status) {
        let found = DatabaseChecks.key(
            Self.now - days * Self.day, "ES256", lifetime: 90 * Self.day, at: Self.now)

        #expect(found.status == status)
    }

    @Test("no signing key is no error before the first start")
    func noKey() {
        #expect(DatabaseChecks.key(nil, "ES256", lifetime: 90 * Self.day, at: Self.now).status == .warning)
    }

    @Test(
        "space that is scarce is told of",
        arguments: [(50 << 20, Finding.Status.error), (500 << 20, .warning), (5 << 30, .ok)])
    func disk(free: Int, status: Finding.Status) {
        #expect(HostChecks.disk(free: free, "/var/lib").status == status)
    }

    @Test(
        "a master key that everybody can read is an error, for a group a warning",
        arguments: [(0o600, Finding.Status.ok), (0o400, .ok), (0o640, .warning), (0o644, .error)])
    func masterKey(mode: Int, status: Finding.Status) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("doctor-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("key".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)

        #expect(HostChecks.masterKey(file: file.path) {}.status == status)
    }

    @Test("a master key that cannot be read is an error that says why")
    func noMasterKey() {
        let found = HostChecks.masterKey(file: "/nonexistent") {
            throw Settings.Unacceptable(description: "master-key-file: cannot be read")
        }

        #expect(found.status == .error && found.text.contains("cannot be read"))
    }

    @Test(
        "clocks that are apart, in a unit that people read",
        arguments: [
            (0.5, Finding.Status.ok, "500 ms from"), (-5, .warning, "5 s ahead of"), (11, .error, "11 s behind"),
            (-5_400, .error, "90 minutes ahead of"), (10_800, .error, "3 hours behind"),
            (-34_560_000, .error, "400 days ahead of"),
        ])
    func clock(seconds: Double, status: Finding.Status, text: String) async throws {
        let database = Database(.init(connectionString: "host=/nonexistent dbname=none"), logger: Logger(label: "test"))
        let checks = DatabaseChecks(
            settings: try await Self.settings(), database: database, clock: WallClock { Self.now },
            logger: Logger(label: "test"))

        let found = checks.clock(Self.now + seconds)

        #expect(found.status == status)
        #expect(found.text == "\(text) the database's")
        await database.close()
    }

    @Test("a database that does not answer is one error, with what to do")
    func away() async throws {
        let database = Database(
            .init(
                connectionString: "host=/nonexistent dbname=none", connections: 1, connectTimeout: 0.2, waitLimit: 0.2),
            logger: Logger(label: "test"))

        let found = await DatabaseChecks(
            settings: try await Self.settings(), database: database, clock: .system, logger: Logger(label: "test")
        ).findings()

        #expect(found.map(\.status) == [.error])
        #expect(found.first?.advice != nil)
        await database.close()
    }

    private static func settings() async throws -> Settings {
        try Settings(try await ConfigurationValues(flags: [:], environment: [:]))
    }
}
