import Base
import Foundation
import HTTP
import HTTPTypes
import Keys
import TestSupport
import Testing

@Suite("TLS of this process itself, and client certificates in it (RFC 8705)")
struct HTTPSTests {
    private static let clock = WallClock.system

    /// A server certificate by `authority`; `clients` are asked for certificates where given.
    private static func security(_ authority: TestAuthority, clients: ClientAuthorities?) throws -> TransportSecurity {
        let server = try authority.issue("server")
        return try TransportSecurity(
            certificates: server.pem + "\n" + authority.own.pem, key: server.keyPEM, authorities: clients, clock: clock)
    }

    /// A server with a listener that trusts clients of `authority`.
    private static func with(
        _ authority: TestAuthority, clients: ClientAuthorities?, options: TestServerOptions = TestServerOptions(),
        _ body: @Sendable (TestServer, _ port: Int) async throws -> Void
    ) async throws {
        let security = try security(authority, clients: clients)
        try await TestServer.with(options: options) { server in
            try await server.listening(security) { port in try await body(server, port) }
        }
    }

    @Test("the server answers over TLS 1.2 and 1.3, and to nobody over less")
    func versions() async throws {
        let authority = try TestAuthority("root")
        try await Self.with(authority, clients: nil) { server, port in
            for newest: TestServer.Version in [.v12, .v13] {
                try await server.overTLS(port, trusting: authority, newest: newest) { secure in
                    let reply = try await secure.get("/jwks.json")
                    #expect(reply.outcome == "200")
                }
            }
            await #expect(throws: (any Error).self) {
                try await server.overTLS(port, trusting: authority, newest: .v11) { secure in
                    _ = try await secure.get("/jwks.json")
                }
            }
            await #expect(throws: (any Error).self, "a client that does not trust the server's authority") {
                try await server.overTLS(port, trusting: try TestAuthority("root")) { secure in
                    _ = try await secure.get("/jwks.json")
                }
            }
        }
    }

    @Test("a whole login runs over it, with proofs for the configured address")
    func journey() async throws {
        let authority = try TestAuthority("root")
        try await Self.with(authority, clients: ClientAuthorities(pem: authority.own.pem)) { server, port in
            try await server.overTLS(port, trusting: authority) { secure in
                let phone = try await Phone.registered(in: secure)

                #expect(try await phone.get("/userinfo", token: phone.logIn().accessToken).outcome == "200")
            }
        }
    }

    @Test("tls_client_auth takes a certificate of that name by the named authority, through a deputy too, and no other")
    func trusted() async throws {
        let authority = try TestAuthority("root"), deputy = try authority.deputy("deputy"),
            stranger = try TestAuthority("root")
        try await Self.with(authority, clients: ClientAuthorities(pem: authority.own.pem)) { server, port in
            let machine = try await BoundMachine.named("CN=machine", in: server)
            func outcome(_ certificate: TestCertificate?, with chain: [TestCertificate] = []) async throws -> String {
                try await server.ask(machine, port, trusting: authority, showing: certificate, with: chain)
            }

            #expect(try await outcome(authority.issue("machine")) == "200")
            #expect(try await outcome(deputy.issue("machine"), with: [deputy.own]) == "200")
            #expect(try await outcome(deputy.issue("machine")) == "401 invalid_client", "the deputy is not shown")
            #expect(try await outcome(authority.issue("other")) == "401 invalid_client")
            #expect(try await outcome(stranger.issue("machine"), with: [stranger.own]) == "401 invalid_client")
            #expect(try await outcome(TestCertificate.selfSigned("machine")) == "401 invalid_client")
            #expect(try await outcome(nil) == "401 invalid_client")
        }
    }

    @Test("a self-signed certificate is taken for its registered key, whoever is trusted", arguments: [true, false])
    func selfSigned(trustsSomebody: Bool) async throws {
        let authority = try TestAuthority("root"), own = try TestCertificate.selfSigned("machine"),
            other = try TestCertificate.selfSigned("machine")
        try await Self.with(
            authority, clients: trustsSomebody ? ClientAuthorities(pem: authority.own.pem) : ClientAuthorities.none
        ) { server, port in
            let machine = try await BoundMachine.selfSigned(own, in: server)

            for (certificate, outcome) in [(own, "200"), (other, "401 invalid_client"), (nil, "401 invalid_client")] {
                #expect(try await server.ask(machine, port, trusting: authority, showing: certificate) == outcome)
            }
        }
    }

    @Test(
        "a token is bound to the certificate of the connection, on every request of it",
        arguments: TestServer.Version.current)
    func bound(version: TestServer.Version) async throws {
        let authority = try TestAuthority("root"), own = try TestCertificate.selfSigned("machine"),
            other = try TestCertificate.selfSigned("machine")
        try await Self.with(authority, clients: ClientAuthorities.none) { server, port in
            let machine = try await BoundMachine.bound(in: server), found = Found()
            try await server.overTLS(port, trusting: authority, showing: own, newest: version) { secure in
                let token = try await machine.ask(secure).accessToken
                await found.set(token)

                #expect(claims(of: token)["cnf"] == ["x5t#S256": .string(own.thumbprint)])
                for _ in 0..<3 {
                    #expect(
                        try await secure.post(
                            "/introspect", ["token": token], headers: [.authorization: "Bearer \(token)"]
                        ).json["active"] == true)
                }
            }
            let token = await found.text
            for certificate in [other, nil] {
                try await server.overTLS(port, trusting: authority, showing: certificate, newest: version) { secure in
                    let reply = try await secure.post(
                        "/introspect", ["token": token], headers: [.authorization: "Bearer \(token)"])
                    #expect(reply.outcome == "401 invalid_token")
                }
            }
        }
    }

    @Test("where clients are not asked, none has a certificate")
    func notAsked() async throws {
        let authority = try TestAuthority("root"), own = try TestCertificate.selfSigned("machine")
        try await Self.with(authority, clients: nil) { server, port in
            let machine = try await BoundMachine.bound(in: server)

            #expect(try await server.ask(machine, port, trusting: authority, showing: own) == "400 invalid_request")
        }
    }

    @Test("a proxy's own certificate is not its client's; the header of who is no proxy is refused over TLS too")
    func header() async throws {
        let authority = try TestAuthority("root"), proxy = try authority.issue("proxy"),
            client = try TestCertificate.selfSigned("machine")
        let name = try #require(HTTPField.Name("Client-Cert"))
        for (range, isProxy) in [("127.0.0.0/8", true), ("10.0.0.0/8", false)] {
            let trust = try ProxyTrust(ranges: [CIDR(range)].compactMap { $0 }, certificateHeader: "Client-Cert")
            var options = TestServerOptions()
            options.proxies = trust
            try await Self.with(authority, clients: ClientAuthorities(pem: authority.own.pem), options: options) {
                server, port in
                let machine = try await BoundMachine.bound(in: server)
                try await server.overTLS(port, trusting: authority, showing: proxy) { secure in
                    let bare = try await machine.ask(secure),
                        told = try await machine.ask(secure, headers: [name: ":\(client.base64):"])

                    #expect(bare.outcome == (isProxy ? "400 invalid_request" : "200"))
                    #expect(told.outcome == (isProxy ? "200" : "400 invalid_request"))
                    let thumbprint = claims(of: (isProxy ? told : bare).accessToken)["cnf"]?["x5t#S256"]?.string
                    #expect(thumbprint == (isProxy ? client : proxy).thumbprint)
                }
            }
        }
    }

    @Test("Host and its forwarded kin change nothing of what is told, nor where anybody is sent")
    func host() async throws {
        let authority = try TestAuthority("root"), evil = "evil.example"
        var options = TestServerOptions()
        options.proxies = try ProxyTrust(ranges: ["127.0.0.0/8"].compactMap { CIDR($0) })
        try await Self.with(authority, clients: nil, options: options) { server, port in
            try await server.overTLS(port, trusting: authority) { secure in
                var headers = HTTPFields()
                for (field, value) in [
                    ("Host", evil), ("X-Forwarded-Host", evil), ("X-Forwarded-Proto", "gopher"),
                    ("X-Forwarded-Port", "666"), ("X-Forwarded-Prefix", "/\(evil)"),
                    ("X-Original-URL", "/\(evil)"), ("X-Rewrite-URL", "/\(evil)"),
                    ("Forwarded", "host=\(evil);proto=gopher"), ("X-Host", evil),
                ] {
                    headers[try #require(HTTPField.Name(field))] = value
                }
                let authorize =
                    """
                    /authorize?client_id=\(server.residents.machine.id)&response_type=code&redirect_uri=https%3A%2F%\
                    2Fclient.example.org%2F
                    """
                for path in [
                    "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/openapi.yaml",
                    "/", "/services/learn", "/account", "/login", "/logout",
                    "/device", authorize, "/nothing",
                ] {
                    let plain = try await secure.get(path), hostile = try await secure.get(path, headers: headers)

                    #expect(hostile.status == plain.status, "\(path)")
                    #expect(hostile[header: "Location"] == plain[header: "Location"], "\(path)")
                    #expect(
                        !hostile.body.contains(evil)
                            && !hostile.headers.contains { $0.value.contains(evil) || $0.value.contains("gopher") },
                        "\(path)")
                }
                #expect(
                    try await secure.get("/.well-known/openid-configuration", headers: headers).body
                        == server.get("/.well-known/openid-configuration").body)

                let phone = try await Phone.registered(in: secure), token = try await phone.logIn().accessToken
                for (url, outcome) in [
                    (ServerParts.root + "/userinfo", "200"), ("https://\(evil)/userinfo", "401 invalid_dpop_proof"),
                ] {
                    headers.append(
                        contentsOf: try phone.dpop(.get, "/userinfo", token: token, changes: ["htu": .string(url)]))
                    #expect(try await secure.get("/userinfo", headers: headers).outcome == outcome)
                    headers[.proof] = nil
                    headers[.authorization] = nil
                }
            }
        }
    }

    @Test("certificates and keys that do not make a server are refused")
    func unacceptable() throws {
        let one = try TestAuthority("root").issue("server"), other = try TestAuthority("root").issue("server")
        for (certificates, key) in [
            ("", one.keyPEM), ("no PEM", one.keyPEM), (one.pem, ""), (one.pem, one.pem), (one.pem, other.keyPEM),
            (one.keyPEM, one.keyPEM),
        ] {
            #expect(throws: TransportSecurity.Unacceptable.self) {
                try TransportSecurity(certificates: certificates, key: key, authorities: nil, clock: Self.clock)
            }
        }
    }
}

extension TestServer {
    /// What a machine gets that comes with this certificate.
    fileprivate func ask(
        _ machine: BoundMachine, _ port: Int, trusting authority: TestAuthority, showing certificate: TestCertificate?,
        with chain: [TestCertificate] = []
    ) async throws -> String {
        let found = Found()
        try await overTLS(port, trusting: authority, showing: certificate, with: chain) { secure in
            await found.set(try await machine.ask(secure).outcome)
        }
        return await found.text
    }
}

/// A word that a closure found.
private actor Found {
    private(set) var text = ""

    func set(_ text: String) { self.text = text }
}
