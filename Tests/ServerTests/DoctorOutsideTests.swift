import Base
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("pando doctor: the issuer's name and certificate", .timeLimit(.minutes(30)))
struct DoctorOutsideTests {
    /// When certificates of tests end.
    private static let end = Date(timeIntervalSince1970: 4_102_444_800)
    private static let day: TimeInterval = 86_400

    private func checks(_ issuer: String, at now: Date = end - 365 * day) async throws -> OutsideChecks {
        let values = try await ConfigurationValues(flags: ["issuer": issuer, "roles": "idp"], environment: [:])
        return OutsideChecks(settings: try Settings(values), clock: WallClock { now })
    }

    /// What is said of a certificate for `certified` that is shown to who comes by `host`.
    private func finding(
        _ certified: String, by host: String = "localhost", at now: Date = end - 365 * day
    ) async throws -> Finding {
        let site = try await SecureSite(TestAuthority("Test CA").issue("site", host: certified), "")
        let result: Result<Finding, any Error>
        do {
            result = .success(try await checks("https://\(host):\(site.port)", at: now).certificate())
        } catch { result = .failure(error) }
        try await site.stop()
        return try result.get()
    }

    @Test("a name that has no address is an error, and nothing is asked there")
    func noAddress() async throws {
        // No resolver knows it (RFC 6761, 6.4).
        let found = try await checks("https://id.nobody.invalid").findings()

        #expect(found.first?.name == "issuer-dns" && found.first?.status == .error && found.first?.advice != nil)
        #expect(found.first?.text == "id.nobody.invalid has no address")
        #expect(!found.contains { ["issuer-tls", "issuer"].contains($0.name) })
    }

    @Test(
        "addresses of a name are told",
        arguments: ["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])
    func addresses(issuer: String) async throws {
        let found = try await checks(issuer).dns()

        #expect(found.status == .ok && found.advice == nil)
        #expect(found.text.contains("127.0.0.1") || found.text.contains("::1"), "\(found.text)")
    }

    @Test(
        "a certificate that a server shows is told of before it ends, whoever signed it",
        arguments: [(-30.0, Finding.Status.ok), (-14.5, .ok), (-13.5, .warning), (-0.5, .warning), (0.5, .error)])
    func days(days: Double, status: Finding.Status) async throws {
        let found = try await finding("localhost", at: Self.end + days * Self.day)

        #expect(found.name == "issuer-tls" && found.status == status, "\(found.text)")
        #expect(found.text.contains("2100-01-01") && (found.advice == nil) == (status == .ok))
    }

    @Test(
        "a certificate for another name is an error that says for which",
        arguments: [
            ("site.example", "localhost"), ("*.localhost", "localhost"), ("127.0.0.1", "localhost"),
            ("localhost", "127.0.0.1"), ("127.0.0.2", "127.0.0.1"),
        ])
    func otherName(certified: String, host: String) async throws {
        let found = try await finding(certified, by: host)

        #expect(found.name == "issuer-tls" && found.status == .error && found.advice != nil)
        #expect(found.text == "the certificate is for \(certified), and not for \(host)")
    }

    @Test("a certificate for the address is good where the issuer is one")
    func address() async throws {
        #expect(try await finding("127.0.0.1", by: "127.0.0.1").status == .ok)
    }

    @Test(
        "a star stands for one label, the first",
        arguments: [
            ("id.example.org", true), ("id.uni.example", true), ("uni.example", false), ("a.id.uni.example", false),
            ("example.org", false), ("other.example.org", false), ("192.0.2.1", true), ("192.0.2.2", false),
            ("2001:db8::1", true),
        ])
    func names(host: String, isGood: Bool) throws {
        let shown = PresentedCertificate(
            until: Self.end, names: ["id.example.org", "*.uni.example", "192.0.2.2"],
            addresses: try ["192.0.2.1", "2001:db8::1"].map { try #require(IPAddress($0)) })

        #expect(shown.isFor(host) == isGood)
    }

    @Test("where nothing listens is a warning with what to do")
    func noCertificate() async throws {
        let found = try await checks("https://localhost:1").certificate()

        #expect(found.name == "issuer-tls" && found.status == .warning && found.advice != nil)
    }
}
