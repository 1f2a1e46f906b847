import Base
import NIOSSL
import PandoClient
import TestSupport
import Testing

@testable import Crawler
@testable import ServiceCheck

@Suite("docs/join-the-federation.md, \"Check your service\": TLS")
struct DocumentTLSTests {
    private static let settings = CrawlerSettings(allow: [CIDR("127.0.0.0/8")].compactMap(\.self))

    private let authority: TestAuthority
    private let context: NIOSSLContext

    init() throws {
        authority = try TestAuthority("Test CA")
        var configuration = WebTLS.configuration
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.own.der, format: .der)])
        context = try NIOSSLContext(configuration: configuration)
    }

    /// A site with a certificate for `host` and a document, whose one protocol is at `link` of the site's address,
    /// until `body` ends.
    private func with<Result: Sendable>(
        _ host: String = "127.0.0.1", link: @escaping @Sendable (String) -> String = { "https://\($0)/greeting" },
        _ body: (_ base: String) async throws -> Result
    ) async throws -> Result {
        let site = try await SecureSite(authority.issue("site", host: host)) { port in
            DocumentTLSTests.answer("127.0.0.1:\(port)", link: link("127.0.0.1:\(port)"))
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body("https://127.0.0.1:\(site.port)")) } catch { result = .failure(error) }
        try await site.stop()
        return try result.get()
    }

    private static func answer(_ address: String, link: String) -> String {
        let home = "https://\(address)"
        let document = """
            {"engineName": "Greetings", "engineLink": "\(home)", "homePageLink": "\(home)",
            "apis": {"org.ietf.oauth2": {"apiLink": "\(home)"}, "org.example.greetings": {"apiLink": "\(link)"}}}
            """
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-rsd+json\r\n"
        return head + "Content-Length: \(document.utf8.count)\r\n\r\n" + document
    }

    /// What a check finds of the document, where the site's authority is trusted and all links are answered.
    private func found(at base: String) async throws -> [Finding] {
        let look = DocumentLook(Self.settings, loopback: false, clock: .system, tls: context)
        let answering = Transport { _ in Transport.Response(status: 401) }
        return try await DocumentCheck(base: base, look: look, rsd: nil, transport: answering).run().findings
    }

    @Test("a certificate that is good for the host is told so, and the links that lead there")
    func good() async throws {
        let findings = try await with { try await found(at: $0) }

        #expect(Set(findings.map(\.id)) == ["tls", "document", "oauth", "links"])
        #expect(findings.allSatisfy { $0.severity == .ok })
    }

    @Test("a certificate for another host is an error")
    func otherHost() async throws {
        let findings = try await with("site.example") { try await found(at: $0) }

        #expect(findings.first { $0.id == "tls" }?.severity == .error)
        #expect(findings.first { $0.id == "document" }?.severity == .error)
    }

    @Test("a certificate of an authority that this machine does not trust is an error of the whole check")
    func unknownAuthority() async throws {
        let run = CheckRun(Self.settings, loopback: false, clock: .system, options: .init())

        let report = try await with { try await run.run($0, source: nil) }

        let finding = try #require(report.findings.first { $0.id == "tls" })
        #expect(finding.severity == .error && finding.section == .document)
    }

    @Test("a base without TLS is an error, but on this machine")
    func noTLS() async throws {
        // Of TEST-NET-1 (RFC 5737): nobody admitted it, so it is not asked.
        let elsewhere = try await found(at: "http://192.0.2.1"), here = try await found(at: "http://127.0.0.1:1025")

        #expect(elsewhere.first { $0.id == "tls" }?.severity == .error)
        #expect(here.first { $0.id == "tls" }?.severity == .info)
    }

    @Test("a link without TLS, of a service that has it, is an error")
    func plainLink() async throws {
        let findings = try await with(link: { "http://\($0)/greeting" }) { try await found(at: $0) }

        let finding = try #require(findings.first { $0.id == "link-plain" })
        #expect(finding.severity == .error && finding.evidence?.hasPrefix("http://127.0.0.1:") == true)
        #expect(!findings.contains { $0.id == "links" })
    }
}
