import Base
import Crypto
import Foundation
import Keys
import TestSupport
import Testing

/// Client assertions at the token endpoint whose signature is none, or by something that is not the client's key.
@Suite("Attacks by client assertions: algorithms, keys and signatures (groups 32 to 35 and 45)", .server)
struct AssertionsSignatureTests {
    // MARK: Group 32

    @Test(
        "group 32: alg none, in any letters and shapes, is refused",
        arguments: [
            .init("none without a signature") {
                try $0.signed(["jti": .string($1)], header: ["alg": "none"]) { _ in [] }
            },
            .init("none with the right signature", { try $0.jwt(["jti": .string($1)], header: ["alg": "none"]) }),
            .init("None") { try $0.signed(["jti": .string($1)], header: ["alg": "None"]) { _ in [] } },
            .init("nOnE") { try $0.signed(["jti": .string($1)], header: ["alg": "nOnE"]) { _ in [] } },
            .init("NONE") { try $0.signed(["jti": .string($1)], header: ["alg": "NONE"]) { _ in [] } },
            .header("none with a blank", ["alg": "none "]), .header("missing", ["alg": .null]),
            .header("an array", ["alg": ["ES256"]]), .header("an array with none", ["alg": ["none", "ES256"]]),
            .header("an object", ["alg": ["ES256": true]]), .header("a number", ["alg": 0]),
            .header("true", ["alg": true]),
            .header("empty", ["alg": ""]), .header("small letters", ["alg": "es256"]),
            .header("a blank before", ["alg": " ES256"]),
            .header("an URI", ["alg": "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"]),
        ] as [AssertionsForgery])
    func none(_ forgery: AssertionsForgery) async throws { try await refused(forgery) }

    // MARK: Group 33

    /// RFC 7515, A.2; of a public key, so known to everybody.
    private static let modulus = """
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ\
        S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-\
        KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q\
        2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ
        """
    private static let rsa: JSONValue = ["kty": "RSA", "n": .string(modulus), "e": "AQAB"]

    /// What a confused verifier would take for the secret of an HMAC.
    private static func confusions(_ key: P256.Signing.PublicKey, _ jwk: JSONValue) -> [[UInt8]] {
        let rsa =
            [
                0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01,
                0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00,
            ]
            + (Base64URL.decode(modulus) ?? []) + [0x02, 0x03, 0x01, 0x00, 0x01]
        let lines = Data(rsa).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----"
        return [
            rsa, Array(pem.utf8), Array("\(pem)\n".utf8), Array(key.pemRepresentation.utf8),
            Array("\(key.pemRepresentation)\n".utf8), [UInt8](key.derRepresentation), [UInt8](key.x963Representation),
            [UInt8](key.rawRepresentation),
            jwk.bytes, Self.rsa.bytes, JSONValue.object(["keys": [jwk]]).bytes, Array((jwk["x"]?.string ?? "").utf8),
            Base64URL.decode(jwk["x"]?.string ?? "") ?? [], Base64URL.decode(modulus) ?? [], [], [0],
            Array("null".utf8),
        ]
    }

    @Test(
        "group 33: an HMAC by what everybody knows of a key authenticates nobody",
        arguments: ["HS256", "HS384", "HS512"], ["elliptic", "RSA"])
    func hmac(_ algorithm: String, _ kind: String) async throws {
        let forge = try await AssertionsForge.ready(), isRSA = kind == "RSA"
        if isRSA {
            try await forge.server.database.execute(
                """
                update client set jwks = \(JSONValue.object(["keys": [AssertionsSignatureTests.rsa]]))
                    where id = \(forge.id)
                """
            )
        }
        for secret in AssertionsSignatureTests.confusions(forge.key.publicKey, forge.jwk) {
            for kid in [JSONValue.string(AssertionsForge.kid), .null] {
                let assertion = try forge.signed(header: ["alg": .string(algorithm), "kid": kid]) { input in
                    let key = SymmetricKey(data: secret)
                    return switch algorithm {
                    case "HS256": Array(HMAC<SHA256>.authenticationCode(for: input, using: key))
                    case "HS384": Array(HMAC<SHA384>.authenticationCode(for: input, using: key))
                    default: Array(HMAC<SHA512>.authenticationCode(for: input, using: key))
                    }
                }
                let reply = try await forge.send(assertion)
                #expect(reply.outcome == "401 invalid_client", "\(secret.count) bytes: \(reply.body)")
            }
        }
        if !isRSA { #expect(try await forge.send(try forge.jwt()).outcome == "200") }
    }

    // MARK: Group 34

    @Test(
        "group 34: another algorithm than the key's is refused, though its key made the signature",
        arguments: [
            .init("ES384 on P-256") {
                try $0.signed(["jti": .string($1)], header: ["alg": "ES384"]) { [key = $0.key] in
                    [UInt8](try key.signature(for: SHA384.hash(data: $0)).rawRepresentation)
                }
            },
            .init("ES512 on P-256") {
                try $0.signed(["jti": .string($1)], header: ["alg": "ES512"]) { [key = $0.key] in
                    [UInt8](try key.signature(for: SHA512.hash(data: $0)).rawRepresentation)
                }
            },
            .init("ES256 by a digest of 384 bits") {
                try $0.signed(["jti": .string($1)], header: [:]) { [key = $0.key] in
                    [UInt8](try key.signature(for: SHA384.hash(data: $0)).rawRepresentation)
                }
            },
            .init("by a P-384 key") {
                try $0.signed(["jti": .string($1)], header: ["alg": "ES384"]) {
                    [UInt8](try P384.Signing.PrivateKey().signature(for: $0).rawRepresentation)
                }
            },
            .init("ES256 by a P-384 key") {
                try $0.signed(["jti": .string($1)], header: [:]) {
                    [UInt8](try P384.Signing.PrivateKey().signature(for: SHA256.hash(data: $0)).rawRepresentation)
                }
            },
            .init("EdDSA by a key of one's own") {
                try $0.signed(["jti": .string($1)], header: ["alg": "EdDSA"]) {
                    [UInt8](try Curve25519.Signing.PrivateKey().signature(for: $0))
                }
            },
        ]
            + [
                "ES256K", "EdDSA", "Ed25519", "RS256", "PS256", "RS1", "ES1", "HS256", "A128KW", "dir", "ECDH-ES",
                "none,ES256",
            ].map { name in
                AssertionsForgery.header(name, ["alg": .string(name)])
            })
    func algorithms(_ forgery: AssertionsForgery) async throws { try await refused(forgery) }

    /// n of 1024 bits; e = 1 and an even e; a modulus with the fingerprint of ROCA is in
    /// KeysTests/RFC7517JSONWebKeyTests, as it needs arithmetic.
    private static let weak: [JSONValue] = [
        ["kty": "RSA", "n": .string(Base64URL.encode([0xC1] + [UInt8](repeating: 0x37, count: 127))), "e": "AQAB"],
        ["kty": "RSA", "n": .string(modulus), "e": "AQ"], ["kty": "RSA", "n": .string(modulus), "e": "Ag"],
        ["kty": "RSA", "n": .string(modulus), "e": ""], ["kty": "RSA", "n": "", "e": "AQAB"],
        ["kty": "RSA", "n": "AQ", "e": "AQAB"],
        ["kty": "RSA", "n": .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 4_096))), "e": "AQAB"],
        [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode([UInt8](repeating: 0, count: 32))),
            "y": .string(Base64URL.encode([UInt8](repeating: 0, count: 32))),
        ],
        [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
            "y": .string(Base64URL.encode([UInt8](repeating: 2, count: 32))),
        ],
        ["kty": "EC", "crv": "secp256k1", "x": "AAAA", "y": "AAAA"],
        ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode([1] + [UInt8](repeating: 0, count: 31)))],
        ["kty": "oct", "k": "AAAA"],
    ]

    @Test(
        """
        group 34: keys that prove nothing are no client's: RSA of 1024 bits, e = 1, points off the curve or of small \
        order, shared secrets
        """,
        arguments: weak.indices)
    func weakKeys(_ index: Int) async throws {
        let server = try TestServer.ofSuite, jwk = AssertionsSignatureTests.weak[index],
            url = "https://rp.example.org/\(UUID().uuidString)/jwks"
        let invited = try await OperationsFixture.register(
            server,
            [
                "client_name": "weak", "grant_types": ["client_credentials"],
                "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [jwk]],
            ])
        #expect(invited.outcome == "400 invalid_client_metadata", "\(invited.body)")

        // Published at the client's own URL it is left out, and the good key beside it still serves.
        let forge = try await AssertionsForge.ready(in: server, keysAt: url)
        server.wire.publish(JSONValue.object(["keys": [jwk, forge.jwk]]).text, at: url)
        for algorithm in ["RS256", "PS256", "ES256", "EdDSA", "HS256"] {
            #expect(
                try await forge.send(
                    forge.signed(header: ["alg": .string(algorithm), "kid": .null]) { _ in
                        [UInt8](repeating: 0, count: 64)
                    }
                ).outcome == "401 invalid_client")
        }
        #expect(try await forge.send(try forge.jwt()).outcome == "200")
    }

    // MARK: Group 35

    /// The attacker's own key, shown in every way that a header has.
    @Test(
        "group 35: keys and addresses in the header are not looked at, and nothing is fetched",
        arguments: ["jwk", "jku", "x5u", "x5c", "x5t", "x5t#S256", "all", "kid as URL", "jwk in claims"])
    func headerKeys(_ member: String) async throws {
        let forge = try await AssertionsForge.ready(), thief = P256.Signing.PrivateKey(),
            canary = "https://canary-\(UUID().uuidString.lowercased()).example/jwks"
        forge.server.wire.publish(JSONValue.object(["keys": [AssertionsForge.jwk(of: thief)]]).text, at: canary)
        let jwk = AssertionsForge.jwk(of: thief)
        let all: JSONObject = [
            "jwk": jwk, "jku": .string(canary), "x5u": .string(canary),
            "x5c": [.string(Data(thief.publicKey.derRepresentation).base64EncodedString())], "x5t": "AAAA",
            "x5t#S256": "AAAA",
        ]
        var header: JSONObject =
            switch member {
            case "all": all
            case "kid as URL": ["kid": .string(canary)]
            case "jwk in claims": [:]
            default: [member: all[member] ?? .null]
            }
        var claims: JSONObject = ["jti": .string(UUID().uuidString)]
        if member == "jwk in claims" {
            for (name, value) in ["jwks": ["keys": [jwk]], "cnf": ["jwk": jwk], "jwks_uri": .string(canary)]
                as JSONObject
            { claims[name] = value }
        }

        try await forge.expectRefused(claims["jti"]?.string ?? "", try forge.jwt(claims, header: header, by: thief))
        // Beside the right signature they are data, and do no harm.
        if member != "kid as URL" { #expect(try await forge.send(try forge.jwt(header: header)).outcome == "200") }
        header["kid"] = .null
        #expect(try await forge.send(try forge.jwt(header: header, by: thief)).outcome == "401 invalid_client")
        #expect(!forge.server.wire.fetched.contains { $0.contains("canary-") }, "the canary sang")
    }

    // MARK: Group 45

    /// n of P-256 (FIPS 186-5).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    private static let zero = [UInt8](repeating: 0, count: 32), one = [UInt8](repeating: 0, count: 31) + [1]

    /// (r, s) to (r, n - s), which verifies as well.
    private static func twin(_ signature: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32), borrow = 0
        for index in stride(from: 31, through: 0, by: -1) {
            let difference = Int(order[index]) - Int(signature[32 + index]) - borrow
            (result[index], borrow) = (UInt8(difference & 255), difference < 0 ? 1 : 0)
        }
        return signature[..<32] + result
    }

    private static func spoilt(_ what: String, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> AssertionsForgery
    {
        AssertionsForgery(what) { forge, jti in
            try forge.signed(["jti": .string(jti)], header: [:]) {
                change([UInt8](try forge.key.signature(for: $0).rawRepresentation))
            }
        }
    }

    @Test(
        "group 45: no signature but that of the key's holder, in its one form",
        arguments: [
            spoilt("r = s = 0") { _ in zero + zero }, spoilt("r = 0") { zero + $0[32...] },
            spoilt("s = 0") { $0[..<32] + zero }, spoilt("r = s = n") { _ in order + order },
            spoilt("r = n, s = 1") { _ in order + one },
            spoilt("r = s = 1") { _ in one + one }, spoilt("all ones") { _ in [UInt8](repeating: 0xFF, count: 64) },
            spoilt("empty") { _ in [] }, spoilt("a trailing byte") { $0 + [0] }, spoilt("a leading byte") { [0] + $0 },
            spoilt("a byte less") { $0.dropLast() }, spoilt("half") { Array($0[..<32]) }, spoilt("twice") { $0 + $0 },
            spoilt("r and s swapped") { Array($0[32...] + $0[..<32]) },
            spoilt("a bit flipped") { [$0[0] ^ 1] + $0[1...] },
            .init("DER") { forge, jti in
                try forge.signed(["jti": .string(jti)], header: [:]) {
                    [UInt8](try forge.key.signature(for: $0).derRepresentation)
                }
            },
            .init("of other claims") { forge, jti in
                let (parts, other) = (
                    try forge.jwt(["jti": .string(jti)]).split(separator: "."), try forge.jwt().split(separator: ".")
                )
                return "\(parts[0]).\(parts[1]).\(other[2])"
            },
            .init("no third part") {
                try $0.jwt(["jti": .string($1)]).split(separator: ".")[..<2].joined(separator: ".")
            },
        ])
    func signatures(_ forgery: AssertionsForgery) async throws { try await refused(forgery) }

    /// (r, n - s) is a signature too, and which of the two a signer makes is chance: what must not be is that it serves
    /// as a second assertion. The `jti` sees to that.
    @Test("group 45: the twin n - s of a signature is no second use")
    func twins() async throws {
        let forge = try await AssertionsForge.ready(), right = try forge.jwt(),
            parts = right.split(separator: ".").map(String.init)
        let twin =
            "\(parts[0]).\(parts[1])."
            + Base64URL.encode(AssertionsSignatureTests.twin(Base64URL.decode(parts[2]) ?? []))
        try #require(twin != right)

        #expect(try await forge.send(right).outcome == "200")
        #expect(try await forge.send(twin).outcome == "401 invalid_client")
    }

    private func refused(_ forgery: AssertionsForgery) async throws {
        let forge = try await AssertionsForge.ready(), jti = UUID().uuidString
        try await forge.expectRefused(jti, try forgery.make(forge, jti))
    }
}
