import Base
import Testing

@testable import Keys

@Suite("RFC 7517 keys that are refused")
struct RFC7517JSONWebKeyTests {
    private typealias Unacceptable = JSONWebKey.Unacceptable

    /// RFC 7515, A.3.
    private static let ec: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ]
    private static let rsa = RFC7638ThumbprintTests.example.object ?? [:]
    /// RFC 8037, A.2.
    private static let okp: JSONObject = [
        "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]

    private func refusal(_ jwk: JSONObject, _ changes: [(String, JSONValue?)]) async -> Unacceptable? {
        var jwk = jwk
        for (name, value) in changes { jwk[name] = value }
        do {
            _ = try await JSONWebKey(.object(jwk))
            return nil
        } catch {
            return error as? Unacceptable
        }
    }

    @Test("the three kinds are accepted as they are")
    func accepted() async throws {
        #expect(try await JSONWebKey(.object(Self.ec)).algorithm == .es256)
        #expect(try await JSONWebKey(.object(Self.okp)).algorithm == .edDSA)
        #expect(try await JSONWebKey(.object(Self.rsa)).algorithm == .rs256)
        #expect(
            await refusal(
                Self.ec, [("use", "sig"), ("key_ops", ["verify"]), ("x5u", "https://example.org"), ("alg", "ES256")])
                == nil)
    }

    @Test("private members", arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"])
    func privateKey(_ name: String) async {
        #expect(await refusal(Self.ec, [(name, "AQ")]) == .privateKey)
    }

    @Test("shared secrets and what is no object")
    func symmetric() async {
        #expect(await refusal(["kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr"], []) == .symmetric)
        #expect(await refusal(["kty": "oct"], []) == .symmetric)
        #expect(await refusal(Self.ec, [("k", "AQ")]) == .symmetric)
        await #expect(throws: Unacceptable.notAnObject) { try await JSONWebKey("ec") }
    }

    @Test("kinds, curves, algorithms and uses that are not for us")
    func unsupported() async {
        for changes: [(String, JSONValue?)] in [
            [("kty", nil)], [("kty", "ec")], [("kty", 7)], [("crv", "secp256k1")], [("crv", "P-384x")],
            [("use", "enc")],
            [("key_ops", ["encrypt"])], [("key_ops", "verify")], [("alg", "ES384")], [("alg", "ECDH-ES")],
            [("alg", "none")],
        ] {
            guard case .unsupported = await refusal(Self.ec, changes) else {
                Issue.record("\(changes)")
                continue
            }
        }
        guard case .unsupported = await refusal(Self.okp, [("crv", "X25519")]) else {
            Issue.record("X25519")
            return
        }
    }

    @Test("an EC point off its curve, of another length, or spelled another way")
    func ellipticCurve() async {
        for changes: [(String, JSONValue?)] in [
            [("y", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a4")], [("y", Self.ec["x"])], [("y", nil)], [("x", 7)],
            [("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU=")],
            [("x", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEV")],
            [("x", "AH_NzidwtsRdQYPL7m_bS3tYBzM1e-nvE7rPbjx70VRF")], [("crv", "P-384")], [("kid", "")], [("kid", 7)],
        ] {
            guard case .unsound = await refusal(Self.ec, changes) else {
                Issue.record("\(changes)")
                continue
            }
        }
    }

    @Test(
        "an Ed25519 point for which anyone can sign",
        arguments: [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
            [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F], [UInt8](repeating: 0, count: 31) + [0x80],
            [UInt8](repeating: 9, count: 31),
        ])
    func smallOrder(_ point: [UInt8]) async {
        guard case .unsound = await refusal(Self.okp, [("x", .string(Base64URL.encode(point)))]) else {
            Issue.record("accepted")
            return
        }
    }

    @Test("an RSA key that is short, long, even, or has another spelling of its numbers")
    func rsaNumbers() async throws {
        let n = try #require(Base64URL.decode(Self.rsa["n"]?.string ?? ""))
        let short = Array(n[0..<127] + [1]), barelyShort = [0x7F] + n.dropFirst(), even = n.dropLast() + [0x82]
        let cases: [(String, [UInt8])] = [
            ("n", short), ("n", barelyShort), ("n", Array(even)), ("n", [0] + n), ("n", n + n + n + n + [1]), ("n", []),
            ("e", [1]), ("e", [4]), ("e", [0, 1, 0, 1]), ("e", []), ("e", [1, 0, 0, 0, 1]),
        ]

        for (name, bytes) in cases {
            guard case .unsound = await refusal(Self.rsa, [(name, .string(Base64URL.encode(bytes)))]) else {
                Issue.record("\(name) \(bytes.count)")
                continue
            }
        }
        #expect(await refusal(Self.rsa, [("e", "Aw")]) == nil)
    }

    @Test("every refusal says what to do and repeats no key")
    func descriptions() {
        let all: [Unacceptable] = [
            .notAnObject, .privateKey, .symmetric, .unsupported("a"), .unsound("a"), .duplicateKid("a"),
        ]

        #expect(Set(all.map(\.description)).count == all.count)
    }
}
