import Base
import Crypto
import Foundation
import TestSupport
import Testing

/// Client assertions at the token endpoint, by the right key, with claims that are not for us, not from this client, or
/// not for now.
@Suite("Attacks by client assertions: audience, issuer and times (groups 38, 39, 41 and 42)", .server)
struct AssertionsClaimTests {
    private func refused(_ changes: JSONObject) async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString
        try await forge.expectRefused(jti, try forge.jwt(changes.naming(jti)))
    }

    // MARK: Group 38

    private static let issuer = ServerParts.root
    private static let audiences: [JSONValue] = [
        .null, "", "https://other.example.org", .string(issuer + "/token"), .string(ServerParts.base),
        .string(ServerParts.tokenEndpoint), .string(issuer + "/par"), .string(issuer + "/introspect"),
        [.string(issuer), "https://other.example.org"],
        [.string(issuer), .string(issuer)], [.string(issuer), .string(issuer + "/token")], [.string(issuer + "/token")],
        [], [[.string(issuer)]], [.string(issuer), 5], [.string(issuer), .null], 5, true, ["aud": .string(issuer)],
        ["0": .string(issuer)],
        .string(issuer.uppercased()), .string("HTTP" + issuer.dropFirst(4)), .string(issuer + "/"),
        .string(issuer + "//"), .string(issuer + "?"), .string(issuer + "#"), .string(issuer + "\u{200B}"),
        .string(" " + issuer), .string(issuer + " "), .string(issuer + "\n"),
        .string(issuer.replacing("8080", with: "08080")), .string("http://localhost"),
        .string("https" + issuer.dropFirst(4)), .string("http://localhost.:8080"), .string("http://127.0.0.1:8080"),
        .string("http://user@localhost:8080"), .string("localhost:8080"), .string("//localhost:8080"),
        .string(issuer.replacing("o", with: "\u{43E}")), .string(issuer.replacing("l", with: "\u{FF4C}")),
        .string(issuer.replacing("s", with: "\u{17F}")), .string("\(issuer),https://other.example.org"),
        .string("\(issuer) https://other.example.org"), "*", "any", "%",
    ]

    @Test("group 38: a client assertion whose aud is anything but the issuer is refused", arguments: audiences.indices)
    func audience(_ index: Int) async throws { try await refused(["aud": AssertionsClaimTests.audiences[index]]) }

    @Test("group 38: NUL is in no aud")
    func nul() async throws { try await refused(["aud": .string(AssertionsClaimTests.issuer + "\0")]) }

    @Test(
        "group 38: the issuer is the one audience, as text or as an array of one",
        arguments: [JSONValue.string(issuer), [.string(issuer)]])
    func right(_ audience: JSONValue) async throws {
        let forge = try await AssertionsForge.ready()
        #expect(try await forge.send(try forge.jwt(["aud": audience])).outcome == "200")
    }

    // MARK: Group 39

    /// A rogue server tells its clients our endpoints as its own and relays what they sign. A client of RFC 7523bis
    /// names the rogue's issuer, an old one the token endpoint: ours, from the rogue's metadata. Both are worth nothing
    /// here, at every endpoint that authenticates clients. What is left, a rogue whose metadata bear our issuer, is the
    /// client's to see: metadata whose issuer is not the URL that they were asked at are none (RFC 8414, 3.3).
    @Test(
        "group 39: what a rogue server makes a client sign and relays is refused at every endpoint",
        arguments: ["/token", "/par", "/introspect", "/revoke", "/device_authorization"])
    func injection(_ path: String) async throws {
        let forge = try await AssertionsForge.ready()
        for audience in [
            "https://rogue.example", ServerParts.root + path, ServerParts.root + "/token",
            "https://rogue.example/.well-known/oauth-authorization-server",
        ] {
            for type in ["client-authentication+jwt", "JWT"] {
                let assertion = try forge.jwt(["aud": .string(audience)], header: ["typ": .string(type)])
                let reply = try await forge.server.post(
                    path,
                    [
                        "grant_type": "client_credentials", "token": "x", "client_id": forge.id,
                        "client_assertion": assertion, "client_assertion_type": AssertionsForge.type,
                    ])
                #expect(reply.outcome == "401 invalid_client", "\(audience): \(reply.body)")
            }
        }
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            #expect(try await forge.server.get(path)["issuer"] == ServerParts.root)
        }
    }

    @Test("group 39: a built-in service authenticates no clients, so an assertion for the IdP is nothing there")
    func service() async throws {
        let forge = try await AssertionsForge.ready()
        let reply = try await forge.server.post(
            "/services/learn/token",
            [
                "grant_type": "client_credentials", "client_assertion": try forge.jwt(),
                "client_assertion_type": AssertionsForge.type,
            ])
        #expect((400..<500).contains(reply.status) && reply.accessToken.isEmpty, "\(reply.body)")
    }

    // MARK: Group 41

    @Test(
        "group 41: iss and sub are both the client",
        arguments: [
            "sub of another", "sub missing", "iss missing", "iss of another", "both missing", "sub empty",
            "sub an array", "iss an array", "sub with a blank", "a number", "other letters", "NUL",
        ])
    func subject(_ what: String) async throws {
        let forge = try await AssertionsForge.ready(), id = JSONValue.string(forge.id),
            other = JSONValue.string(forge.server.residents.machine.id)
        let changes: JSONObject =
            switch what {
            case "sub of another": ["sub": other]
            case "sub missing": ["sub": .null]
            case "iss missing": ["iss": .null]
            case "iss of another": ["iss": other]
            case "both missing": ["iss": .null, "sub": .null]
            case "sub empty": ["sub": ""]
            case "sub an array": ["sub": [id]]
            case "iss an array": ["iss": [id]]
            case "sub with a blank": ["sub": .string(forge.id + " ")]
            case "a number": ["iss": 5, "sub": 5]
            case "other letters":
                ["iss": .string(forge.id.uppercased() + "X"), "sub": .string(forge.id.uppercased() + "X")]
            default: ["iss": .string(forge.id + "\0"), "sub": .string(forge.id + "\0")]
            }
        let jti = UUID().uuidString
        try await forge.expectRefused(jti, try forge.jwt(changes.naming(jti)))
    }

    @Test(
        "group 41: a client's key speaks for no other client, whatever its method",
        arguments: ["private_key_jwt", "client_secret_basic", "none", "a service"])
    func foreignKey(_ kind: String) async throws {
        let forge = try await AssertionsForge.ready(), server = forge.server
        let victim =
            switch kind {
            case "private_key_jwt": try await AssertionsForge.ready().id
            case "client_secret_basic": server.residents.machine.id
            case "none": try await server.webApp(method: .none).id
            default: server.residents.learn.id
            }

        #expect(
            try await forge.send(try forge.jwt(["iss": .string(victim), "sub": .string(victim)])).outcome
                == "401 invalid_client")
        #expect(
            ["400 invalid_request", "401 invalid_client"].contains(
                try await forge.send(try forge.jwt(), clientID: victim).outcome))
        #expect(try await forge.send(try forge.jwt(), clientID: forge.id).outcome == "200")
    }

    // MARK: Group 42

    /// Seconds from now for each of the times; 60 of skew, and 600 of life.
    @Test(
        "group 42: times out of bounds are refused",
        arguments: [
            ("expired at the edge", -60, -120, nil), ("long expired", -86_400, -86_460, nil), ("in 661 s", 661, 1, nil),
            ("in a year", 31_536_000, 0, nil), ("in the year 5138", 100_000_000_000, 0, nil),
            ("iat in the future", 120, 61, nil), ("iat a day old", 60, -86_400, nil),
            ("iat older than a life", 60, -601, nil), ("exp before iat, long past", -100, 30, nil),
            ("nbf in the future", 120, 0, 61), ("nbf in an hour", 60, 0, 3_600),
        ] as [(String, Int, Int, Int?)])
    func bounds(_ what: String, _ expires: Int, _ made: Int, _ begins: Int?) async throws {
        let now = try TestServer.ofSuite.now
        try await refused([
            "exp": .integer(now + expires), "iat": .integer(now + made),
            "nbf": begins.map { .integer(now + $0) } ?? .null,
        ])
    }

    @Test(
        "group 42: times at the edge are good",
        arguments: [
            ("expired 59 s ago", -59, -119, nil), ("in 660 s", 660, 0, nil), ("iat in 60 s", 120, 60, nil),
            ("iat 600 s old", 60, -600, nil), ("nbf in 60 s", 120, 0, 60), ("nbf long past", 60, 0, -86_400),
        ] as [(String, Int, Int, Int?)])
    func edges(_ what: String, _ expires: Int, _ made: Int, _ begins: Int?) async throws {
        let forge = try await AssertionsForge.ready(), now = forge.server.now
        let reply = try await forge.send(
            try forge.jwt([
                "exp": .integer(now + expires), "iat": .integer(now + made),
                "nbf": begins.map { .integer(now + $0) } ?? .null,
            ]))
        #expect(reply.outcome == "200", "\(what): \(reply.body)")
    }

    /// A fraction is a NumericDate too (RFC 7519, 2): it is read, and its bounds are those of any other.
    @Test("group 42: a fraction of a second is read as one")
    func fractions() async throws {
        let forge = try await AssertionsForge.ready(), now = Double(forge.server.now)
        #expect(
            try await forge.send(try forge.jwt(["exp": .number(now + 59.5), "iat": .number(now - 0.5)])).outcome
                == "200")
        #expect(try await forge.send(try forge.jwt(["exp": .number(now + 660.5)])).outcome == "401 invalid_client")
        #expect(try await forge.send(try forge.jwt(["exp": .number(now - 60.5)])).outcome == "401 invalid_client")
    }

    /// As they would stand in the JSON.
    @Test(
        "group 42: what is no NumericDate is none", arguments: ["exp", "iat", "nbf"],
        [
            "absent", "null", "\"2\"", "\"1800000060\"", "true", "[1800000060]", "{}", "1e400", "-1e400",
            "1800000060e0x", "0x6B49D23C", "99999999999999999999999999", "\"\"", "NaN", "Infinity",
        ])
    func shapes(_ name: String, _ value: String) async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString
        // Two of them may be absent.
        guard !(name != "exp" && value == "absent") else { return }
        let text = JSONValue.object(forge.claims(["jti": .string(jti), name: .null])).text
        let payload = value == "absent" ? text : text.dropLast() + ",\"\(name)\":\(value)}"

        try await forge.expectRefused(jti, try forge.raw(JSONValue.object(forge.header()).bytes, Array(payload.utf8)))
    }

    @Test("group 42: negative times are before all that is asked")
    func negative() async throws {
        try await refused(["exp": -1])
        try await refused(["exp": -1, "iat": -2])
        try await refused(["exp": .integer(.max)])
        try await refused(["iat": .integer(.min)])
        try await refused(["nbf": .integer(.max)])
    }

    @Test("group 42: a clock that steps back makes no used assertion good again")
    func steppingBack() async throws {
        try await TestServer.with { server in
            let forge = try await AssertionsForge.ready(in: server), used = try forge.jwt(), old = try forge.jwt()
            #expect(try await forge.send(used).outcome == "200")

            server.time.advance(200)
            #expect(try await forge.send(old).outcome == "401 invalid_client", "expired, and never used")
            for step in [-150.0, -50, -30, -30] {
                server.time.advance(step)
                #expect(try await forge.send(used).outcome == "401 invalid_client")
            }
            server.time.advance(-3_600)
            #expect(try await forge.send(used).outcome == "401 invalid_client", "from the future")
            #expect(try await forge.send(try forge.jwt()).outcome == "200", "by the clock that the server has now")
        }
    }
}
