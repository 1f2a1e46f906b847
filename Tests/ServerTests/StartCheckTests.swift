import Base
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Server

@Suite("what stops a start before the database is asked")
struct StartCheckTests {
    /// A file that is none of what settings name.
    private static let other = Checkout.folder("Makefile").path
    private static let tls = ["issuer": "https://id.example.org", "tls-certificate": other, "tls-key": other]

    /// What the refusal begins with, and what is set.
    static let cases: [(String, [String: String])] = [
        ("database", ["database": ""]), ("database", ["database": "nonsense"]),
        ("migrations", ["migrations": "/nonexistent"]),
        ("migrations", ["migrations": Checkout.folder("docs").path]),
        ("master-key-file", ["master-key-file": "/nonexistent"]), ("master-key-file", ["master-key-file": other]),
        ("common-passwords", ["common-passwords": "/nonexistent"]),
        ("common-passwords", ["common-passwords": other]),
        ("tls-certificate", tls.merging(["tls-certificate": "/nonexistent"]) { $1 }),
        ("tls-key", tls.merging(["tls-key": "/nonexistent"]) { $1 }), ("tls-certificate, tls-key", tls),
        ("tls-client-ca", tls.merging(["tls-client-ca": other]) { $1 }),
        ("metrics-token-file", ["metrics-token-file": "/nonexistent"]),
        ("crawler-allow, crawler-deny", ["crawler-allow": "nonsense"]),
        ("crawler-resolve", ["crawler-resolve": "nonsense"]),
        ("tiqr-fcm-account", ["tiqr-fcm-account": other]), ("tiqr-texts", ["tiqr-texts": other]),
        ("operations-fcm-account", ["operations-fcm-account": other]),
        ("liquid-attestation-roots", ["liquid-attestation-roots": "packed=/nonexistent"]),
        (
            "mail-ca",
            ["mail-server": "smtps://mail.example.org", "mail-from": "a@example.org", "mail-ca": "/nonexistent"]
        ),
    ]

    /// Why no server would start with `changes` of settings that are good; `nil` where one would.
    private func refusal(_ changes: [String: String]) async throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("start-check-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appendingPathComponent("master.key")
        try Data(Base64URL.encode(Randomness.system.bytes(32)).utf8).write(to: key)
        var flags = [
            "database": "host=/nonexistent dbname=none", "master-key-file": key.path,
            "migrations": Checkout.folder("migrations").path,
            "common-passwords": Checkout.folder("passwords/common.txt").path,
        ]
        flags.merge(changes) { $1 }
        let settings = try Settings(try await ConfigurationValues(flags: flags, environment: [:]))
        do { try await StartCheck(settings).run() } catch let refused as UnacceptableSetting {
            return refused.description
        }
        return nil
    }

    @Test("where all is well nothing does, and the database is not asked")
    func none() async throws {
        let whole = try await refusal([:]), services = try await refusal(["roles": "tiqr,operations,viewer,liquid"])

        #expect(whole == nil)
        #expect(services == nil)
    }

    @Test("a setting that cannot stand is named", arguments: StartCheckTests.cases)
    func named(setting: String, changes: [String: String]) async throws {
        let refused = try await refusal(changes)

        #expect(refused?.hasPrefix(setting + ": ") == true, "\(refused ?? "it would start")")
    }

    @Test("a process reads the files of what it runs, and no others")
    func others() async throws {
        let refused = try await refusal([
            "roles": "viewer", "common-passwords": "/nonexistent", "tiqr-texts": Self.other,
        ])

        #expect(refused == nil)
    }
}
