import Base
import NIOSSL
import TestSupport
import Testing

@testable import Crawler

@Suite("Requests over TLS", .timeLimit(.minutes(30)))
struct WebTLSTests {
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private let authority: TestAuthority
    private let context: NIOSSLContext

    init() throws {
        authority = try TestAuthority("Test CA")
        var configuration = WebTLS.configuration
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: authority.own.der, format: .der)])
        context = try NIOSSLContext(configuration: configuration)
    }

    /// A site with a certificate for `name`, until `body` ends.
    private func with(
        _ name: String, _ answer: String = whole, _ ending: SecureSite.Ending = .clean, newest: TLSVersion? = nil,
        _ body: (SecureSite) async throws -> Void
    ) async throws {
        let site = try await SecureSite(authority.issue("site", host: name), answer, ending, newest: newest)
        let result: Result<Void, any Error>
        do { result = .success(try await body(site)) } catch { result = .failure(error) }
        try await site.stop()
        try result.get()
    }

    /// Status and body, or the reason why there is none.
    private func ask(_ host: String, _ port: Int, connectTime: Duration = .seconds(60)) async throws -> String {
        let exchange = HTTPExchange(
            url: try WebURL("https://\(host):\(port)/"), headers: [:],
            limits: HTTPExchange.Limits(connectTime: connectTime, headerBytes: 4_096, bodyBytes: 10_000),
            wantsBody: { _ in true }, tls: context)
        let address = try #require(IPAddress("127.0.0.1"))
        do {
            let reply = try await exchange.run(at: [address], until: ExchangeDeadline(in: .seconds(60)))
            return "\(reply.status) " + String(decoding: reply.body, as: UTF8.self)
        } catch {
            return FetchTrouble.failure(error).reason.rawValue
        }
    }

    @Test("a site is asked by its name, which it sees, and which its certificate is for")
    func named() async throws {
        try await with("site.example") { site in
            let answer = try await ask("site.example", site.port)
            #expect(answer == "200 hello")
            #expect(site.names == ["site.example"] && site.requests == 1)
        }
    }

    @Test(
        "a certificate for another name or address ends it before anything is asked",
        arguments: [
            ("other.example", "site.example"), ("sub.site.example", "site.example"), ("site.example", "127.0.0.1"),
            ("127.0.0.2", "127.0.0.1"),
        ])
    func others(certified: String, asked: String) async throws {
        try await with(certified) { site in
            let answer = try await ask(asked, site.port)
            #expect(answer == "tls")
            #expect(site.requests == 0)
        }
    }

    @Test("a URL with an address in it needs a certificate for the address, and tells no name")
    func address() async throws {
        try await with("127.0.0.1") { site in
            let answer = try await ask("127.0.0.1", site.port)
            #expect(answer == "200 hello")
            #expect(site.names == [nil])
        }
    }

    @Test(
        "a body that ends with the connection is whole only if TLS says so; another says itself where it ends",
        arguments: [
            ("", false), ("Transfer-Encoding: gzip\r\n", false), ("Content-Length: 5\r\n", true),
            ("Transfer-Encoding: chunked\r\n", true),
        ])
    func ends(field: String, saysItself: Bool) async throws {
        let sent = "HTTP/1.1 200 OK\r\n\(field)\r\n" + (field.contains("chunked") ? "5\r\nhello\r\n0\r\n\r\n" : "hello")

        try await with("site.example", sent, .clean) { site in
            let answer = try await ask("site.example", site.port)
            #expect(answer == "200 hello")
        }
        try await with("site.example", sent, .cutOff) { site in
            let answer = try await ask("site.example", site.port)
            #expect(answer == (saysItself ? "200 hello" : "tls"))
        }
    }

    @Test("who takes the connection but never agrees on TLS is too slow")
    func handshake() async throws {
        let site = try Site()
        defer { site.stop() }
        let began = ContinuousClock.now

        #expect(try await ask("site.example", site.port, connectTime: .milliseconds(300)) == "timeout")
        #expect(ContinuousClock.now - began < .seconds(10))
    }

    @Test("who does not answer the end of TLS holds no connection")
    func deaf() async throws {
        try await with("site.example", WebTLSTests.whole, .deaf) { site in
            let answer = try await ask("site.example", site.port)
            #expect(answer == "200 hello")
            let began = ContinuousClock.now
            while site.connections > 0 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(ContinuousClock.now - began < .seconds(3))
        }
    }

    @Test("what is older than TLS 1.2 is not spoken", arguments: [(TLSVersion.tlsv11, "tls"), (.tlsv12, "200 hello")])
    func versions(newest: TLSVersion, outcome: String) async throws {
        try await with("site.example", newest: newest) { site in
            let answer = try await ask("site.example", site.port)
            #expect(answer == outcome)
        }
    }
}
