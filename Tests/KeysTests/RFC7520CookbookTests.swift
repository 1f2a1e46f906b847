import Base
import Testing

@testable import Keys

@Suite("RFC 7520 cookbook", .enabled(if: Vectors.arePresent, Vectors.whyNot))
struct RFC7520CookbookTests {
    private func example(_ name: String) throws -> (key: JSONValue, output: JSONValue) {
        let file = try Vectors.read("cookbook/\(name).json")
        return (try #require(file["input"]?["key"]), try #require(file["output"]))
    }

    @Test(
        "4.1 and 4.3 and the Ed25519 companion are verified by their keys",
        arguments: ["jws/4_1.rsa_v15_signature", "jws/4_3.ecdsa_signature", "curve25519/jws"])
    func verified(_ name: String) async throws {
        let example = try example(name)
        let key = try await JSONWebKey(example.key.publicHalf)

        let jws = try CompactJWS(#require(example.output["compact"]?.string))

        #expect(jws.isSigned(by: key))
        await #expect(throws: JSONWebKey.Unacceptable.privateKey) { try await JSONWebKey(example.key) }
    }

    @Test("4.2: RSA-PSS is verified")
    func pss() async throws {
        let example = try example("jws/4_2.rsa-pss_signature")
        let key = try await JSONWebKey(example.key.publicHalf)

        #expect(try CompactJWS(#require(example.output["compact"]?.string)).isSigned(by: key))
    }

    @Test("4.4: a shared secret is no JWK of ours")
    func hmac() async throws {
        let example = try example("jws/4_4.hmac-sha2_integrity_protection")

        await #expect(throws: JSONWebKey.Unacceptable.symmetric) { try await JSONWebKey(example.key) }
    }

    @Test(
        "RFC 7797: unencoded payloads are refused",
        arguments: ["rfc7797/hmac-sha2_b64_false", "rfc7797/4.2.hmac-sha2_b64_false"])
    func unencoded(_ name: String) throws {
        let file = try Vectors.read("cookbook/\(name).json")
        let header = try #require(file["signing"]?["protected_b64u"]?.string)

        #expect(throws: CompactJWS.Malformed.self) { try CompactJWS("\(header)..AAAA") }
    }

    @Test("the key examples of section 3 are accepted when public and refused otherwise")
    func keys() async throws {
        #expect(try await JSONWebKey(Vectors.read("cookbook/jwk/3_1.ec_public_key.json")).algorithm == .es512)
        #expect(try await JSONWebKey(Vectors.read("cookbook/jwk/3_3.rsa_public_key.json")).algorithm == .rs256)
        for name in [
            "3_2.ec_private_key", "3_4.rsa_private_key", "3_5.symmetric_key_mac_computation",
            "3_6.symmetric_key_encryption",
        ] {
            await #expect(throws: JSONWebKey.Unacceptable.self) {
                try await JSONWebKey(Vectors.read("cookbook/jwk/\(name).json"))
            }
        }
    }
}
