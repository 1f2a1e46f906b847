import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP

@Suite("RFC 7239 and RFC 9440: what is believed of a proxy")
struct TrustedProxyTests {
    private static let own = ["127.0.0.0/8", "10.0.0.0/8", "fd00::/8"].compactMap { CIDR($0) }

    private static func options(_ ranges: [CIDR] = own) throws -> TestServerOptions {
        TestServerOptions(
            proxies: try ProxyTrust(
                ranges: ranges, certificateHeader: "Client-Cert", verifyHeader: "X-SSL-Client-Verify"))
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let certificateHeader = HTTPField.Name("Client-Cert")!
    // swift-format-ignore: NeverForceUnwrap
    private static let verifyHeader = HTTPField.Name("X-SSL-Client-Verify")!

    // MARK: Addresses

    @Test(
        "the sender is the rightmost hop that is no proxy",
        arguments: [
            ("X-Forwarded-For", "203.0.113.7", "203.0.113.7"),
            ("X-Forwarded-For", "198.51.100.66, 203.0.113.7", "203.0.113.7"),
            ("X-Forwarded-For", "198.51.100.66,203.0.113.7 ,\t10.1.2.3", "203.0.113.7"),
            ("X-Forwarded-For", "10.9.9.9, 10.1.2.3", "10.9.9.9"),
            ("X-Forwarded-For", "203.0.113.7:4711", "203.0.113.7"),
            ("X-Forwarded-For", "[2001:db8::7]:4711, [fd00::1]", "2001:db8::7"),
            ("X-Forwarded-For", "2001:DB8:0::7", "2001:db8::7"),
            ("X-Forwarded-For", "::ffff:203.0.113.7", "203.0.113.7"),
            ("Forwarded", "for=203.0.113.7;proto=https;by=10.0.0.1", "203.0.113.7"),
            ("Forwarded", "for=198.51.100.66, For=\"[2001:db8::7]:4711\" , by=_x;for=10.1.2.3", "2001:db8::7"),
            ("forwarded", "proto=\"a,b;for=198.51.100.66\";FOR=203.0.113.7", "203.0.113.7"),
            // What a stranger wrote makes one character with the comma of the proxy.
            ("X-Forwarded-For", "\u{600}, 203.0.113.7", "203.0.113.7"),
            ("X-Forwarded-For", "198.51.100.66\u{600},203.0.113.7, 10.1.2.3", "203.0.113.7"),
            ("Forwarded", "for=198.51.100.66\u{600}, for=203.0.113.7", "203.0.113.7"),
            // Nor swallows what a stranger left open what the proxy adds.
            ("Forwarded", "for=\"198.51.100.66, for=203.0.113.7", "203.0.113.7"),
            ("Forwarded", "for=\", for=\"[2001:db8::7]:4711\"", "2001:db8::7"),
        ])
    func hops(name: String, value: String, origin: String) throws {
        let headers: HTTPFields = [try #require(HTTPField.Name(name)): value]

        #expect(try ProxyTrust(ranges: Self.own).origin(peer: "127.0.0.1", headers) == origin)
        #expect(try ProxyTrust(ranges: Self.own).origin(peer: "::ffff:127.0.0.1", headers) == origin)
    }

    @Test(
        "a hop that cannot be read ends the walk at the last one known",
        arguments: [
            ("X-Forwarded-For", "203.0.113.7, junk, 10.1.2.3", "10.1.2.3"),
            ("X-Forwarded-For", "203.0.113.7,", "127.0.0.1"), ("X-Forwarded-For", "", "127.0.0.1"),
            ("X-Forwarded-For", "203.0.113.7, 010.1.2.3", "127.0.0.1"),
            ("X-Forwarded-For", "203.0.113.7:x", "127.0.0.1"), ("X-Forwarded-For", "[203.0.113.7]", "127.0.0.1"),
            ("X-Forwarded-For", "[2001:db8::7]x", "127.0.0.1"), ("X-Forwarded-For", "fe80::1%eth0", "127.0.0.1"),
            ("X-Forwarded-For", "for=203.0.113.7", "127.0.0.1"),
            ("Forwarded", "for=203.0.113.7, for=unknown", "127.0.0.1"), ("Forwarded", "for=_hidden", "127.0.0.1"),
            ("Forwarded", "203.0.113.7", "127.0.0.1"),
            ("Forwarded", "for=203.0.113.7;for=203.0.113.8", "127.0.0.1"),
            ("Forwarded", "for=\"203.0.113.7", "127.0.0.1"), ("Forwarded", "for=\"203.0.113\\.7\"", "127.0.0.1"),
        ])
    func unreadable(name: String, value: String, origin: String) throws {
        #expect(
            try ProxyTrust(ranges: Self.own).origin(peer: "127.0.0.1", [try #require(HTTPField.Name(name)): value])
                == origin)
    }

    @Test("fields add up in their order; X-Forwarded-For is read before Forwarded, and nothing else is")
    func fields() throws {
        let trust = try ProxyTrust(ranges: Self.own)
        var headers: HTTPFields = [.init("Forwarded")!: "for=198.51.100.66", .init("X-Real-IP")!: "198.51.100.66"]

        #expect(trust.origin(peer: "127.0.0.1", [.init("X-Real-IP")!: "198.51.100.66"]) == "127.0.0.1")
        headers.append(HTTPField(name: .init("X-Forwarded-For")!, value: "198.51.100.67, 203.0.113.7"))
        headers.append(HTTPField(name: .init("X-Forwarded-For")!, value: "10.1.2.3"))
        #expect(trust.origin(peer: "127.0.0.1", headers) == "203.0.113.7")
    }

    @Test(
        "who is no proxy is the sender, whatever it writes",
        arguments: ["203.0.113.9", "::1", "2001:db8::9", "fe80::1%eth0", nil])
    func untrusted(peer: String?) throws {
        let headers: HTTPFields = [
            .init("X-Forwarded-For")!: "198.51.100.66", .init("Forwarded")!: "for=198.51.100.66",
        ]

        #expect(try ProxyTrust(ranges: Self.own).origin(peer: peer, headers) == peer)
        #expect(ProxyTrust.nobody.origin(peer: peer, headers) == peer)
    }

    @Test(
        "the address of the audit trail is the sender's, and the proxy's only where it is no trusted one",
        arguments: [(own, "203.0.113.7"), ([], "127.0.0.1")])
    func audit(ranges: [CIDR], origin: String) async throws {
        var options = TestServerOptions(proxies: try ProxyTrust(ranges: ranges))
        options.takesCertificates = false
        try await TestServer.with(options: options) { server in
            let phone = try await Phone.registered(in: server), token = phone.instance.accessToken
            var headers = try phone.dpop(.post, "/revoke", token: token)
            headers[.init("X-Forwarded-For")!] = "198.51.100.66, 203.0.113.7"

            #expect(try await server.post("/revoke", ["token": token], headers: headers).outcome == "200")

            #expect(
                try await server.database.value(
                    "select origin from audit where origin is not null order by at desc, id desc limit 1") == origin)
        }
    }

    // MARK: Certificates

    @Test("a certificate is read in every form in which proxies write it")
    func forms() async throws {
        let certificate = try TestCertificate.selfSigned("machine"), other = try TestCertificate.selfSigned("other")
        let pem = certificate.pem, base64 = certificate.base64,
            unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        let escaped = try #require(pem.addingPercentEncoding(withAllowedCharacters: unreserved))
        let forms = [
            ":\(base64):", escaped, escaped + "%0A",
            escaped.replacing("%2B", with: "+").replacing("%2F", with: "/").replacing("%3D", with: "="),
            pem.replacing("\n", with: " "), base64,
            try #require(base64.addingPercentEncoding(withAllowedCharacters: unreserved)), "\(base64),\(other.base64)",
        ]
        try await TestServer.with(options: Self.options()) { server in
            let machine = try await BoundMachine.bound(in: server)
            for form in forms {
                let reply = try await machine.ask(server, headers: [Self.certificateHeader: form])

                #expect(
                    claims(of: reply.accessToken)["cnf"] == ["x5t#S256": .string(certificate.thumbprint)],
                    "\(form.prefix(40)): \(reply.body)")
            }
            #expect(try await machine.ask(server).outcome == "400 invalid_request", "no header, no certificate")
            #expect(
                try await machine.ask(server, headers: [Self.certificateHeader: ""]).outcome == "400 invalid_request")
        }
    }

    @Test("a header that holds no certificate, or comes twice, is refused at every address")
    func malformed() async throws {
        let good = ":\(try TestCertificate.selfSigned("machine").base64):"
        try await TestServer.with(options: Self.options()) { server in
            for bad in [
                "::", ":", "x", ":AAAA:", String(good.dropLast()), ":%41:", "%FF", "-----BEGIN CERTIFICATE-----",
                "-----END CERTIFICATE-----", good + ", " + good, ":!!!!:",
            ] {
                let reply = try await server.get("/jwks.json", headers: [Self.certificateHeader: bad])
                #expect(
                    reply.outcome == "400 invalid_request"
                        && reply["error_description"]?.contains("holds no certificate") == true,
                    "\(bad.prefix(40)): \(reply.body)")
            }
            var twice = HTTPFields()
            for _ in 0..<2 { twice.append(HTTPField(name: Self.certificateHeader, value: good)) }
            let reply = try await server.get("/jwks.json", headers: twice)
            #expect(reply.outcome == "400 invalid_request" && reply["error_description"]?.contains("twice") == true)
            #expect(try await server.get("/jwks.json", headers: [Self.certificateHeader: good]).outcome == "200")
        }
    }

    @Test("the header from a peer that is no proxy is refused, even empty; the verify header alone is nothing")
    func forged() async throws {
        let value = ":\(try TestCertificate.selfSigned("machine").base64):"
        try await TestServer.with(options: Self.options([try #require(CIDR("10.0.0.0/8"))])) { server in
            for headers: HTTPFields in [
                [Self.certificateHeader: value], [Self.certificateHeader: value, Self.verifyHeader: "SUCCESS"],
                [Self.certificateHeader: ""],
            ] {
                let reply = try await server.get("/jwks.json", headers: headers)
                #expect(
                    reply.outcome == "400 invalid_request"
                        && reply["error_description"]?.contains("for the proxy") == true)
            }
            #expect(try await server.get("/jwks.json", headers: [Self.verifyHeader: "SUCCESS"]).outcome == "200")
        }
    }

    @Test("a certificate is trusted only where the proxy says SUCCESS, once and so written")
    func verified() async throws {
        let value = ":\(try TestCertificate.selfSigned("machine").base64):"
        try await TestServer.with(options: Self.options()) { server in
            let machine = try await BoundMachine.named("CN=machine", in: server)
            func outcome(_ words: [String]) async throws -> String {
                var headers: HTTPFields = [Self.certificateHeader: value]
                for word in words { headers.append(HTTPField(name: Self.verifyHeader, value: word)) }
                return try await machine.ask(server, headers: headers).outcome
            }

            #expect(try await outcome(["SUCCESS"]) == "200")
            for words in [
                [], ["success"], ["FAILED:expired"], ["NONE"], [""], ["SUCCESS", "SUCCESS"], ["FAILED", "SUCCESS"],
                ["SUCCESS, FAILED"],
            ] {
                #expect(try await outcome(words) == "401 invalid_client", "\(words)")
            }
        }
    }

    @Test("without a name for the verify header no certificate is trusted")
    func neverVerified() async throws {
        let value = ":\(try TestCertificate.selfSigned("machine").base64):"
        try await TestServer.with(
            options: TestServerOptions(proxies: try ProxyTrust(ranges: Self.own, certificateHeader: "Client-Cert"))
        ) { server in
            let machine = try await BoundMachine.named("CN=machine", in: server)

            #expect(
                try await machine.ask(server, headers: [Self.certificateHeader: value, Self.verifyHeader: "SUCCESS"])
                    .outcome == "401 invalid_client")
        }
    }

    @Test("trust that cannot stand is refused")
    func unacceptable() {
        #expect(throws: ProxyTrust.Unacceptable.self) { try ProxyTrust(ranges: [], certificateHeader: "Client-Cert") }
        #expect(throws: ProxyTrust.Unacceptable.self) { try ProxyTrust(ranges: Self.own, verifyHeader: "X-Verify") }
        #expect(throws: ProxyTrust.Unacceptable.self) {
            try ProxyTrust(ranges: Self.own, certificateHeader: "Client-Cert", verifyHeader: "client-cert")
        }
        for name in ["", "a b", ":path", "Clïent"] {
            #expect(throws: ProxyTrust.Unacceptable.self) { try ProxyTrust(ranges: Self.own, certificateHeader: name) }
        }
    }
}
