import Base
import Crypto
import Foundation
import TestSupport
import Testing

/// Client assertions at the token endpoint that are odd in their header or in their spelling, each signed by the right
/// key.
@Suite("Attacks by client assertions: headers and shapes (groups 36, 37, 40 and 46)", .server)
struct AssertionsHeaderTests {
    private func refused(_ forgery: AssertionsForgery, _ outcome: String = "401 invalid_client") async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString
        try await forge.expectRefused(jti, try forgery.make(forge, jti), outcome)
    }

    // MARK: Group 36

    @Test(
        "group 36: a kid that is no name of the client's keys is refused",
        arguments: [
            .header("SQL", ["kid": "forge' or '1'='1"]),
            .header("SQL that ends a statement", ["kid": "x'; drop table client; --"]),
            .header("a path", ["kid": "../../../../dev/null"]),
            .header("a path of an absolute file", ["kid": "/etc/passwd"]),
            .header("a NUL", ["kid": "forge\0"]), .header("an array", ["kid": ["forge"]]),
            .header("an object", ["kid": ["forge": 1]]), .header("a number", ["kid": 5]), .header("empty", ["kid": ""]),
            .header("unknown", ["kid": "unknown"]),
            .header("other letters", ["kid": "FORGE"]), .header("a blank behind", ["kid": "forge "]),
            .header("a pattern", ["kid": "%"]), .header("7 kB", ["kid": .string(String(repeating: "k", count: 7_000))]),
            .header("12 kB, more than a header may have", ["kid": .string(String(repeating: "k", count: 12_000))]),
            .header("a line end", ["kid": "forge\r\nX: y"]),
        ] as [AssertionsForgery])
    func kid(_ forgery: AssertionsForgery) async throws { try await refused(forgery) }

    @Test("group 36: a kid of 70 kB is more than a request may have")
    func longKid() async throws {
        try await refused(.header("70 kB", ["kid": .string(String(repeating: "k", count: 70_000))]), "413 too_large")
    }

    /// The list wants one refresh a minute; here it is one in ten seconds and URL, and one at a time: see
    /// RemoteKeysTests for the seconds.
    @Test("group 36: two hundred invented kids, at once and in turn, cost the client's server one fetch")
    func flood() async throws {
        let server = try TestServer.ofSuite, url = "https://rp.example.org/\(UUID().uuidString)/jwks",
            forge = try await AssertionsForge.ready(in: server, keysAt: url)
        func fetches() -> Int { server.wire.fetched.count { $0 == url } }

        #expect(try await forge.send(try forge.jwt()).outcome == "200")
        let replies = try await crowd(200) {
            try await forge.send(try forge.jwt(header: ["kid": .string("invented \($0)")]))
        }

        #expect(replies.allSatisfy { $0.outcome == "401 invalid_client" })
        #expect(fetches() == 1)
        #expect(try await forge.send(try forge.jwt()).outcome == "200")
    }

    @Test("group 36: after ten seconds an unknown kid may bring one more fetch, and a new key is found by it")
    func refresh() async throws {
        try await TestServer.with { server in
            let url = "https://rp.example.org/jwks", forge = try await AssertionsForge.ready(in: server, keysAt: url),
                next = P256.Signing.PrivateKey()
            #expect(try await forge.send(try forge.jwt()).outcome == "200")
            server.wire.publish(JSONValue.object(["keys": [AssertionsForge.jwk(of: next, kid: "next")]]).text, at: url)

            #expect(
                try await forge.send(try forge.jwt(header: ["kid": "next"], by: next)).outcome == "401 invalid_client",
                "asked a moment ago")
            server.time.advance(10)
            for _ in 0..<20 {
                #expect(
                    try await forge.send(try forge.jwt(header: ["kid": "invented"])).outcome == "401 invalid_client")
            }
            #expect(try await forge.send(try forge.jwt(header: ["kid": "next"], by: next)).outcome == "200")
            #expect(server.wire.fetched.count { $0 == url } == 2)
        }
    }

    // MARK: Group 37

    @Test(
        "group 37: what needs an extension, or is not a signed JWT in its compact form, is refused",
        arguments: [
            .header("crit of an unknown name", ["crit": ["urn:example:x"], "urn:example:x": true]),
            .header("crit of a name that is not there", ["crit": ["x"]]), .header("crit empty", ["crit": []]),
            .header("crit b64", ["crit": ["b64"], "b64": false]),
            .header("crit of alg", ["crit": ["alg"]]), .header("crit a string", ["crit": "alg"]),
            .header("crit null by name", ["crit": [.null]]), .header("b64 false", ["b64": false]),
            .header("b64 a string", ["b64": "false"]),
            // RFC 1951 of two braces: no JSON as it stands.
            .init("zip, deflated") { forge, _ in
                try forge.raw(JSONValue.object(forge.header(["zip": "DEF"])).bytes, [0xAB, 0xAE, 0x05, 0x00])
            },
            .init("general JSON serialization") { forge, jti in
                let parts = try forge.jwt(["jti": .string(jti)]).split(separator: ".").map {
                    JSONValue.string(String($0))
                }
                return JSONValue.object([
                    "payload": parts[1], "signatures": [["protected": parts[0], "signature": parts[2]]],
                ]).text
            },
            .init("flattened JSON serialization") { forge, jti in
                let parts = try forge.jwt(["jti": .string(jti)]).split(separator: ".").map {
                    JSONValue.string(String($0))
                }
                return JSONValue.object(["payload": parts[1], "protected": parts[0], "signature": parts[2]]).text
            },
            .init("five parts, as a JWE has") { try $0.jwt(["jti": .string($1)]) + ".AAAA.AAAA" },
            .init("five parts with alg dir") {
                try $0.jwt(["jti": .string($1)], header: ["alg": "dir", "enc": "A256GCM"]).replacing(
                    ".", with: ".AAAA.", maxReplacements: 1) + ".AAAA"
            },
            .init("a detached payload") { forge, jti in
                let parts = try forge.jwt(["jti": .string(jti)]).split(separator: ".", omittingEmptySubsequences: false)
                return "\(parts[0])..\(parts[2])"
            },
            .init("a nested JWT") {
                try $0.raw(JSONValue.object($0.header(["cty": "JWT"])).bytes, Array($0.jwt(["jti": .string($1)]).utf8))
            },
            .init("a nested JWT as a JSON string") {
                try $0.raw(
                    JSONValue.object($0.header(["cty": "JWT"])).bytes,
                    JSONValue.string($0.jwt(["jti": .string($1)])).bytes)
            },
            .init("an SD-JWT") { try $0.jwt(["jti": .string($1)]) + "~" },
            .init("two JWTs") { try "\($0.jwt(["jti": .string($1)])),\($0.jwt())" },
        ] as [AssertionsForgery])
    func shapes(_ forgery: AssertionsForgery) async throws { try await refused(forgery) }

    /// RFC 7515, 4: a header that is not understood is ignored. `zip` is one of JWE alone: nothing is ever unpacked, so
    /// a bomb is a payload that is no JSON.
    @Test(
        "group 37: a header parameter that says nothing here changes nothing",
        arguments: ["zip", "enc", "epk", "cty", "__proto__"])
    func ignored(_ name: String) async throws {
        let forge = try await AssertionsForge.ready()
        #expect(try await forge.send(try forge.jwt(header: [name: "DEF"])).outcome == "200")
    }

    // MARK: Group 40

    @Test(
        "group 40: a JWT of another kind is no client assertion, whoever signed it",
        arguments: [
            "at+jwt", "application/at+jwt", "dpop+jwt", "logout+jwt", "entity-statement+jwt", "secevent+jwt",
            "token-introspection+jwt", "oauth-authz-req+jwt", "oauth-client-attestation+jwt",
            "oauth-client-attestation-pop+jwt",
            "openid4vci-proof+jwt", "key-attestation+jwt", "wallet-attestation+jwt", "oauth-id-jag+jwt",
            "pando-auth-session+jwt", "jwk-set+jwt", "trust-mark+jwt", "JOSE", "JOSE+JSON", "JWT+x", "jwt ",
            "client-authentication", "", "AT+JWT", "application/jwt/x",
        ])
    func types(_ type: String) async throws { try await refused(.header(type, ["typ": .string(type)])) }

    @Test(
        "group 40: typ that is no text is refused",
        arguments: [JSONValue.integer(1), .bool(true), ["JWT"], ["typ": "JWT"]])
    func typeShapes(_ type: JSONValue) async throws { try await refused(.header("typ", ["typ": type])) }

    @Test(
        "group 40: its own typ, JWT or none is right, in any letters and with its prefix",
        arguments: [
            "client-authentication+jwt", "application/client-authentication+jwt", "Client-Authentication+JWT", "JWT",
            "jwt", nil,
        ])
    func ownType(_ type: String?) async throws {
        let forge = try await AssertionsForge.ready()
        #expect(
            try await forge.send(try forge.jwt(header: ["typ": type.map(JSONValue.string) ?? .null])).outcome == "200")
    }

    // MARK: Group 46

    /// The header or the payload as text, by a change of the right one.
    private static func text(
        _ what: String, header: (@Sendable (String) -> String)? = nil, payload: (@Sendable (String) -> String)? = nil
    ) -> AssertionsForgery {
        AssertionsForgery(what) { forge, jti in
            let right = (
                JSONValue.object(forge.header()).text, JSONValue.object(forge.claims(["jti": .string(jti)])).text
            )
            return try forge.raw(Array((header?(right.0) ?? right.0).utf8), Array((payload?(right.1) ?? right.1).utf8))
        }
    }

    private static func bytes(
        _ what: String, header: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 },
        payload: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
    ) -> AssertionsForgery {
        AssertionsForgery(what) { forge, jti in
            try forge.raw(
                header(JSONValue.object(forge.header()).bytes),
                payload(JSONValue.object(forge.claims(["jti": .string(jti)])).bytes))
        }
    }

    /// Each signed over what stands there.
    private static func parts(
        _ what: String, _ change: @escaping @Sendable (String, String) -> (String, String)
    ) -> AssertionsForgery {
        AssertionsForgery(what) { forge, jti in
            let (header, payload) = change(
                Base64URL.encode(JSONValue.object(forge.header()).bytes),
                Base64URL.encode(JSONValue.object(forge.claims(["jti": .string(jti)])).bytes))
            return try forge.compact(header, payload)
        }
    }

    private static func deep(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    private static let encodings: [AssertionsForgery] = [
        text("alg twice", header: { $0.replacing("{", with: "{\"alg\":\"ES256\",") }),
        text("alg twice, none first", header: { $0.replacing("{", with: "{\"alg\":\"none\",") }),
        text("alg twice, once escaped", header: { $0.replacing("{", with: "{\"\\u0061lg\":\"ES256\",") }),
        text("kid twice", header: { $0.replacing("{", with: "{\"kid\":\"forge\",") }),
        text("aud twice", payload: { $0.replacing("{", with: "{\"aud\":\"https://other.example\",") }),
        text("iss twice", payload: { $0.replacing("{", with: "{\"iss\":\"other\",") }),
        text("exp twice, once escaped", payload: { $0.replacing("{", with: "{\"e\\u0078p\":9999999999,") }),
        text("a member twice, deep inside", payload: { $0.replacing("{", with: "{\"x\":{\"y\":{\"a\":1,\"a\":2}},") }),
        bytes("a BOM before the header", header: { [0xEF, 0xBB, 0xBF] + $0 }),
        bytes("a BOM before the payload", payload: { [0xEF, 0xBB, 0xBF] + $0 }),
        bytes(
            "bad UTF-8 in the header",
            header: { $0.dropLast() + Array(",\"x\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8) }),
        bytes(
            "bad UTF-8 in the payload",
            payload: { $0.dropLast() + Array(",\"x\":\"".utf8) + [0xFF] + Array("\"}".utf8) }),
        bytes(
            "an overlong slash",
            payload: { $0.dropLast() + Array(",\"x\":\"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8) }),
        bytes("UTF-16", header: { $0.flatMap { [0, $0] } }),
        bytes("UTF-16 of the payload", payload: { $0.flatMap { [$0, 0] } }),
        text("a lone high surrogate", payload: { $0.dropLast() + ",\"x\":\"\\ud800\"}" }),
        text("a lone low surrogate", payload: { $0.dropLast() + ",\"x\":\"\\udc00\"}" }),
        text("a surrogate in a name", header: { $0.dropLast() + ",\"\\ud800\":1}" }),
        text("NUL in a string", payload: { $0.dropLast() + ",\"x\":\"\\u0000\"}" }),
        text("10,000 deep in the payload", payload: { $0.dropLast() + ",\"x\":\(deep(10_000))}" }),
        text("3,000 deep in the header", header: { $0.dropLast() + ",\"x\":\(deep(3_000))}" }),
        text("a header of 20 kB", header: { $0.dropLast() + ",\"x\":\"\(String(repeating: "x", count: 20_000))\"}" }),
        text("something behind the payload", payload: { $0 + "{}" }),
        text("a comma too many", payload: { $0.dropLast() + ",}" }), text("a comment", payload: { "/* */" + $0 }),
        text("single quotes", header: { $0.replacing("\"", with: "'") }),
        text("NaN", payload: { $0.dropLast() + ",\"x\":NaN}" }),
        text("a number with a leading zero", payload: { $0.dropLast() + ",\"x\":01}" }),
        text("a header that is an array", header: { "[\($0)]" }),
        text("a payload that is an array", payload: { "[\($0)]" }),
        text("a payload that is null", payload: { _ in "null" }), text("an empty payload", payload: { _ in "" }),
        text("an empty header", header: { _ in "" }),
        parts("a header with padding") { ($0 + String(repeating: "=", count: max(1, (4 - $0.count % 4) % 4)), $1) },
        parts("a payload with padding") { ($0, $1 + "=") },
        parts("a line end in the payload") { ($0, $1.prefix(8) + "\n" + $1.dropFirst(8)) },
        parts("a blank in the header") { ($0.prefix(4) + " " + $0.dropFirst(4), $1) },
        parts("plain base64") { ($0, $1.prefix(4) + "+/" + $1.dropFirst(4)) },
        parts("a letter that is none") { ($0, $1 + "!") },
        parts("a letter too many") { header, payload in
            (header, payload + (payload.count % 4 == 0 ? "A" : String(repeating: "A", count: 5 - payload.count % 4)))
        },
        .init("set bits behind the last byte of the header") { forge, jti in
            // Of a length that leaves bits over.
            var header = forge.header(), text = Base64URL.encode(JSONValue.object(header).bytes)
            while text.utf8.count % 4 == 0 {
                header["x"] = .string((header["x"]?.string ?? "") + "x")
                text = Base64URL.encode(JSONValue.object(header).bytes)
            }
            return try forge.compact(
                TokensSubstitutionTests.loosened(text),
                Base64URL.encode(JSONValue.object(forge.claims(["jti": .string(jti)])).bytes))
        },
        .init("set bits behind the last byte of the signature") { forge, jti in
            let parts = try forge.jwt(["jti": .string(jti)]).split(separator: ".").map(String.init)
            return "\(parts[0]).\(parts[1]).\(TokensSubstitutionTests.loosened(parts[2]))"
        },
        .init("a signature with padding") { try $0.jwt(["jti": .string($1)]) + "==" },
        .init("a blank before") { try " " + $0.jwt(["jti": .string($1)]) },
        .init("a line end behind") { try $0.jwt(["jti": .string($1)]) + "\r\n" },
        .init("Bearer before") { try "Bearer " + $0.jwt(["jti": .string($1)]) },
        .init("a zero-width blank behind") { try $0.jwt(["jti": .string($1)]) + "\u{200B}" },
    ]

    @Test("group 46: a JWT that two readers might read in two ways is read by none", arguments: encodings.indices)
    func encoding(_ index: Int) async throws {
        let forgery = AssertionsHeaderTests.encodings[index], forge = try await AssertionsForge.ready(),
            jti = UUID().uuidString
        let assertion = try forgery.make(forge, jti)
        try #require(assertion.utf8.count < 60_000, "\(forgery.testDescription)")

        let reply = try await forge.send(assertion)
        #expect(
            reply.outcome == "401 invalid_client" && reply.accessToken.isEmpty,
            "\(forgery.testDescription): \(reply.body)")
        #expect(
            try await forge.send(try forge.jwt(["jti": .string(jti)])).outcome == "200", "\(forgery.testDescription)")
    }

    @Test("group 46: a header of 1 MB is more than a request may have")
    func megabyte() async throws {
        try await refused(.header("1 MB", ["x": .string(String(repeating: "x", count: 1_000_000))]), "413 too_large")
    }
}
