import Base
import Foundation
import Testing

@testable import Keys

/// All that lies in shared/vectors/jose, as data: what it is judged, and a list of what is not judged. Both are
/// compared for equality, so that a new file or member fails until somebody has looked.
@Suite("Published JOSE vectors, all of them", .enabled(if: Vectors.arePresent, Vectors.whyNot))
struct PublishedVectorTests {
    /// Files of the cookbook that hold no token, and why that is no loss.
    private static let without: [String: String] = [
        "package.json": "about the collection",
        "6.nesting_signatures_and_encryption.json": "nested in a JWE, and nothing is decrypted here",
        "jwk/3_1.ec_public_key.json": "a key: RFC7520CookbookTests",
        "jwk/3_2.ec_private_key.json": "a key: RFC7520CookbookTests",
        "jwk/3_3.rsa_public_key.json": "a key: RFC7520CookbookTests",
        "jwk/3_4.rsa_private_key.json": "a key: RFC7520CookbookTests",
        "jwk/3_5.symmetric_key_mac_computation.json": "a key: RFC7520CookbookTests",
        "jwk/3_6.symmetric_key_encryption.json": "a key: RFC7520CookbookTests",
    ]
    /// Those whose compact form a public key verifies. All the rest is refused: JWE, HMAC, detached and unencoded
    /// payloads, and every JSON serialization.
    private static let verified = [
        "curve25519/jws.json", "jws/4_1.rsa_v15_signature.json", "jws/4_2.rsa-pss_signature.json",
        "jws/4_3.ecdsa_signature.json",
    ]

    private func isVerified(_ text: String, _ key: JSONValue?) async -> Bool {
        guard let jws = try? CompactJWS(text), let key = try? await JSONWebKey((key ?? .null).publicHalf) else {
            return false
        }
        return jws.isSigned(by: key)
    }

    @Test("of the cookbook exactly the compact, publicly signed ones are verified, and no file is passed over")
    func cookbook() async throws {
        let folder = try #require(Vectors.folder).appending(path: "cookbook")
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            .filter { $0.hasSuffix(".json") }.sorted()
        var (verified, without): ([String], [String]) = ([], [])
        for name in names {
            let file = try Vectors.read("cookbook/\(name)")
            guard let output = file["output"]?.object else {
                without.append(name)
                continue
            }
            for (form, value) in output {
                let isGood = await isVerified(value.string ?? value.text, file["input"]?["key"])
                #expect(form == "compact" || !isGood, "\(name) \(form): a JSON serialization")
                if isGood { verified.append(name) }
            }
        }
        #expect(verified == Self.verified)
        #expect(without == Self.without.keys.sorted())
        #expect(names.count == 33)
    }

    /// Those of `rfc-examples.json` that a key verifies; RFC7515ExampleTests has them one by one.
    @Test(
        """
        of the examples in the RFCs the compact, publicly signed ones are verified; JWE, unsecured tokens, HMAC and \
        JSON serializations are not
        """
    )
    func examples() async throws {
        let file = try Vectors.read("rfc-examples.json")
        #expect(
            file.object?.names.sorted() == [
                "about", "dpop", "jwe", "jwk_sets", "jws", "jwt", "pkce", "rfc7800_cnf", "thumbprints",
            ])
        var verified: [String] = []
        for kind in ["jws", "jwe", "jwt"] {
            for example in try #require(file[kind]?.array) {
                let text = try #require(example["compact"]?.string ?? example["json"]?.text),
                    name = example["name"]?.string ?? ""
                if await isVerified(text, example["key"]) { verified.append(name) }
            }
        }
        #expect(
            verified.sorted() == ["rfc7515-A.2-RS256", "rfc7515-A.3-ES256", "rfc7515-A.4-ES512", "rfc8037-A.4-Ed25519"])
    }

    @Test("of the key sets in the RFCs none with a private or shared key is taken")
    func keySets() async throws {
        var taken: [String] = []
        for (name, value) in try #require(Vectors.read("rfc-examples.json")["jwk_sets"]?.object) {
            if (try? await JSONWebKey.set(value["keys"] == nil ? [value] : value)) != nil { taken.append(name) }
        }
        #expect(taken.sorted() == ["rfc7517-A.1-public", "rfc7517-B-x5c"])
    }

    @Test("each file of the collection is run by a test")
    func files() throws {
        let folder = try #require(Vectors.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
            .sorted()
        // Attacks on client assertions (RFC 7523, 3; RFC 8725, 3) are no vectors here: they are tables in
        // AttackTests/Assertions.
        #expect(names == ["json_web_key_test.json", "json_web_signature_test.json", "rfc-examples.json"])
    }
}
