import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The negative checks of FAPI 2 and RFC 9449, 4.3, at a resource and at the token endpoint.
///
/// Nonces are ServerNonceTests in JourneyTests; what is right is in ProofTests there.
@Suite("Attacks on proofs of possession: DPoP (group 48)", .server)
struct PossessionProofTests {
    /// A proof to be spoilt, and how it is shown.
    struct Proof: Sendable {
        let phone: Phone
        let path: String
        var claims: JSONObject = [:]
        var header: JSONObject = [:]
        var key: PhoneKey?
        /// Of the whole text, after it was signed.
        var finish: @Sendable (String) -> String = { $0 }
        var copies = 1
        var now: Int { phone.server.now }
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let spoil: @Sendable (inout Proof) -> Void

        init(_ what: String, _ spoil: @escaping @Sendable (inout Proof) -> Void) {
            (testDescription, self.spoil) = (what, spoil)
        }

        static func claim(_ name: String, _ value: JSONValue) -> Flaw {
            Flaw("\(name): \(value.text.prefix(60))") { $0.claims[name] = value }
        }
        static func header(_ name: String, _ value: JSONValue) -> Flaw {
            Flaw("header \(name): \(value.text.prefix(60))") { $0.header[name] = value }
        }
        static func jwk(_ what: String, _ changes: JSONObject) -> Flaw {
            Flaw("jwk \(what)") { $0.header["jwk"] = $0.phone.key.jwk(changed: changes) }
        }
        static func time(_ what: String, _ value: @escaping @Sendable (Int) -> JSONValue) -> Flaw {
            Flaw("iat \(what)") { $0.claims["iat"] = value($0.now) }
        }
        static func htu(_ what: String, _ change: @escaping @Sendable (String) -> String) -> Flaw {
            Flaw("htu \(what)") { $0.claims["htu"] = .string(change(ServerParts.root + $0.path)) }
        }
    }

    private static let zeros = Base64URL.encode([UInt8](repeating: 0, count: 32))

    static let flaws: [Flaw] = [
        .header("typ", .null), .header("typ", "JWT"), .header("typ", "at+jwt"),
        .header("typ", "client-authentication+jwt"), .header("typ", "dpop"), .header("typ", "dpop+jwt "),
        .header("typ", ["dpop+jwt"]), .header("typ", 1),
        .header("alg", "none"), .header("alg", "None"), .header("alg", "HS256"), .header("alg", "ES384"),
        .header("alg", "ES256K"), .header("alg", "RS256"), .header("alg", "EdDSA"), .header("alg", "es256"),
        .header("alg", false), .header("alg", ["ES256"]), .header("alg", ""),
        .header("jwk", .null), .header("jwk", "x"), .header("jwk", []), .header("jwk", [:]),
        .header("jwk", PhoneKey().jwk), .header("crit", ["x"]), .header("b64", false), .header("kid", ""),
        .jwk("private", ["d": "AAAA"]), .jwk("private RSA members", ["p": "AAAA"]),
        .jwk("a shared secret", ["kty": "oct", "k": "AAAA"]), .jwk("off the curve", ["y": .string(zeros)]),
        .jwk("zero", ["x": .string(zeros), "y": .string(zeros)]),
        .jwk("of another curve", ["crv": "P-384"]), .jwk("secp256k1", ["crv": "secp256k1"]),
        .jwk("for encryption", ["use": "enc"]), .jwk("for signing only", ["key_ops": ["sign"]]),
        .jwk("for another algorithm", ["alg": "ES384"]), .jwk("without kty", ["kty": .null]),
        .claim("jti", .null), .claim("jti", ""), .claim("jti", 5), .claim("jti", ["x"]),
        .claim("jti", .string(String(repeating: "x", count: 257))),
        .claim("htm", .null), .claim("htm", ""), .claim("htm", "PUT"), .claim("htm", "get post"),
        .claim("htm", ["GET", "POST"]), .claim("htm", "*"), .claim("htm", 1),
        Flaw("htm in small letters") { $0.claims["htm"] = $0.path == "/token" ? "post" : "get" },
        .claim("htu", .null), .claim("htu", ""), .claim("htu", 5), .claim("htu", .string(ServerParts.root)),
        .claim("htu", "https://other.example.org/userinfo"), .claim("htu", "*"),
        .htu("as an array in text") { "[\"\($0)\"]" }, .htu("of another path in the same host") { $0 + "/more" },
        .htu("with the path in other letters") {
            $0.replacing("/userinfo", with: "/USERINFO").replacing("/token", with: "/TOKEN")
        },
        .htu("at another port") { $0.replacing(":8080", with: ":8081") },
        .htu("at the scheme's own port") { $0.replacing(":8080", with: "") },
        .htu("over TLS") { $0.replacing("http:", with: "https:") },
        .htu("with a user") { $0.replacing("//", with: "//u@") },
        .htu("by address") { $0.replacing("localhost", with: "127.0.0.1") },
        .htu("relative") { String($0.dropFirst(ServerParts.root.count)) },
        .htu("with dots that lead elsewhere") { $0 + "/../other" }, .htu("with a blank") { " " + $0 },
        .htu("with an escaped slash") { $0.replacing(":8080/", with: ":8080%2F") },
        .time("absent") { _ in .null }, .time("61 s ago") { .integer($0 - 61) }, .time("in 61 s") { .integer($0 + 61) },
        .time("in an hour") { .integer($0 + 3_600) }, .time("as text") { .string("\($0)") },
        .time("true") { _ in true }, .time("in milliseconds") { .integer($0 * 1_000) },
        .time("zero") { _ in 0 }, .time("negative") { .integer(-$0) }, .time("huge") { _ in .number(1e300) },
        .time("a list") { [.integer($0)] },
        .claim("nonce", "guess"), .claim("nonce", 5), .claim("nonce", ""),
        Flaw("two headers") { $0.copies = 2 }, Flaw("two proofs in one header") { $0.finish = { "\($0), \($0)" } },
        Flaw("two proofs by a blank") { $0.finish = { "\($0) \($0)" } }, Flaw("empty") { $0.finish = { _ in "" } },
        Flaw("no JWS") { $0.finish = { _ in "x.y" } },
        Flaw("a part more") { $0.finish = { $0 + ".AAAA" } },
        Flaw("signature cut") { $0.finish = { String($0.dropLast(4)) } },
        Flaw("signature of another") { ($0.key, $0.header["jwk"]) = (PhoneKey(), $0.phone.key.jwk) },
        Flaw("a letter of the claims changed") {
            $0.finish = { text in
                let parts = text.split(separator: ".").map(String.init),
                    letter = parts[1].dropFirst(20).first == "A" ? "B" : "A"
                return "\(parts[0]).\(parts[1].prefix(20))\(letter)\(parts[1].dropFirst(21)).\(parts[2])"
            }
        }, Flaw("padded") { $0.finish = { $0 + "=" } }, Flaw("JSON") { $0.finish = { "{\"proof\":\"\($0)\"}" } },
    ]

    private static let atResource: [Flaw] = [
        .claim("ath", .null), .claim("ath", ""), .claim("ath", .string(Base64URL.encode(Digest.sha256("x")))),
        .claim("ath", 5), .claim("ath", .string(Base64URL.encode(Digest.sha256("")))),
        Flaw("ath in hexadecimal") {
            $0.claims["ath"] = .string(
                Digest.sha256($0.phone.instance.accessToken).map { String($0, radix: 16) }.joined())
        },
        Flaw("ath of another token of the same key") {
            $0.claims["ath"] = .string(Base64URL.encode(Digest.sha256($0.phone.instance.accessToken)))
        },
    ]

    private func headers(
        _ flaw: Flaw, _ phone: Phone, _ method: HTTPRequest.Method, _ path: String, token: String?
    ) throws -> HTTPFields {
        var proof = Proof(phone: phone, path: path)
        flaw.spoil(&proof)
        var headers = HTTPFields()
        if let token { headers[.authorization] = "DPoP \(token)" }
        for _ in 0..<proof.copies {
            headers.append(
                HTTPField(
                    name: .proof,
                    value: proof.finish(
                        try phone.proof(
                            method, path, token: token, by: proof.key, changes: proof.claims, header: proof.header))))
        }
        return headers
    }

    @Test(
        "group 48: at a resource a proof with any flaw is 401, and the token is good with the right one",
        arguments: flaws + atResource)
    func resource(_ flaw: Flaw) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), token = phone.instance.accessToken
        // The instance token: any kind will do, since the proof is looked at first, and this one needs no login. 403 is
        // the answer to a good proof.
        let shown = try headers(flaw, phone, .get, "/userinfo", token: token)
        if flaw.testDescription == "ath of another token of the same key" {
            let pat = try await phone.logIn()
            #expect(
                try await phone.server.get(
                    "/userinfo", headers: try headers(flaw, phone, .get, "/userinfo", token: pat.accessToken)
                ).outcome == "401 invalid_dpop_proof")
            return
        }

        let reply = try await phone.server.get("/userinfo", headers: shown)

        #expect(["401 invalid_dpop_proof", "401 use_dpop_nonce"].contains(reply.outcome), "\(reply.body)")
        #expect(reply.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("DPoP ") })
        #expect(try await phone.get("/userinfo", token: token).outcome == "403 insufficient_scope")
    }

    @Test(
        "group 48: at the token endpoint a proof with any flaw is 400, and the refresh token is not used",
        arguments: flaws)
    func tokenEndpoint(_ flaw: Flaw) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), refresh = phone.instance.refreshToken
        try #require(!refresh.isEmpty)

        let reply = try await phone.server.post(
            "/token", ["grant_type": "refresh_token", "refresh_token": refresh],
            headers: try headers(flaw, phone, .post, "/token", token: nil))

        #expect(["400 invalid_dpop_proof", "400 use_dpop_nonce"].contains(reply.outcome), "\(reply.body)")
        #expect(try await phone.refresh(refresh).outcome == "200")
    }

    @Test("group 48: no proof at all, or a perfect one by another key, is refused at both places")
    func otherKey() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), token = phone.instance.accessToken,
            refresh = phone.instance.refreshToken, server = phone.server, other = PhoneKey()
        let foreign = try phone.proof(.post, "/token", token: nil, by: other, header: ["jwk": other.jwk])

        #expect(
            try await server.post("/token", ["grant_type": "refresh_token", "refresh_token": refresh]).outcome
                == "400 invalid_grant")
        #expect(
            try await server.post(
                "/token", ["grant_type": "refresh_token", "refresh_token": refresh], headers: [.proof: foreign]
            ).outcome == "400 invalid_grant")
        #expect(
            try await server.get("/userinfo", headers: [.authorization: "DPoP \(token)"]).outcome
                == "401 invalid_dpop_proof")
        let shown = try phone.proof(.get, "/userinfo", token: token, by: other, header: ["jwk": other.jwk])
        #expect(
            try await server.get("/userinfo", headers: [.authorization: "DPoP \(token)", .proof: shown]).outcome
                == "401 invalid_token")
        #expect(try await phone.refresh(refresh).outcome == "200")
    }

    @Test("group 48: a proof serves once, at one place, and at no other node again")
    func once() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), token = phone.instance.accessToken,
            shown = try phone.dpop(.get, "/userinfo", token: token)
        try await phone.server.withReplica { replica async throws in
            #expect(try await replica.get("/userinfo", headers: shown).outcome == "403 insufficient_scope")
            for place in [phone.server, replica] {
                #expect(try await place.get("/userinfo", headers: shown).outcome == "401 invalid_dpop_proof")
            }
        }
    }

    // Dot segments are not taken out: a proof for `/./userinfo` is refused, which is stricter than RFC 3986, 6.2.2.3
    // has it, and no client writes one.
    @Test(
        "group 48: htu is compared after normalisation, and its query and fragment do not count",
        arguments: [
            "HTTP://LOCALHOST:8080/userinfo", "http://localhost:8080/userinfo?access_token=x",
            "http://localhost:8080/userinfo#x",
        ])
    func normalised(_ htu: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), token = phone.instance.accessToken
        let reply = try await phone.server.get(
            "/userinfo?x=1", headers: try phone.dpop(.get, "/userinfo", token: token, changes: ["htu": .string(htu)]))
        #expect(reply.outcome == "403 insufficient_scope", "\(reply.body)")
    }

    @Test(
        "group 48: neither Host nor what a proxy says moves the htu that counts",
        arguments: ["X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Original-URL", "X-Rewrite-URL"])
    func host(_ name: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), token = phone.instance.accessToken,
            header = try #require(HTTPField.Name(name))
        var headers = try phone.dpop(.get, "/userinfo", token: token, changes: ["htu": "https://evil.example/userinfo"])
        headers[header] =
            name == "Forwarded" ? "host=evil.example;proto=https" : name.hasSuffix("Proto") ? "https" : "evil.example"
        #expect(try await phone.server.get("/userinfo", headers: headers).outcome == "401 invalid_dpop_proof")
    }
}
