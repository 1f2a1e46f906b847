import Base
import Testing

@testable import Keys

@Suite("Wycheproof", .enabled(if: Vectors.arePresent, Vectors.whyNot))
struct WycheproofTests {
    /// Vectors on which we differ, and why. A test compares for equality: a new difference fails, and so does one that is gone.
    private static let signatureDepartures: [Int: String] = [
        346: "the key states PS256 and the token PS384: a stated alg is the only one", 350: "as 346",
        347: "the key states ES521, which is no algorithm", 351: "as 347",
        367: "byte for byte the valid vector 357: the padding it speaks of is not in the file; see RFC7515RefusalTests", 370: "as 367",
        372: "a question mark inside base64url, which the vector wants ignored", 373: "as 372",
    ]
    private static let keyDepartures: [Int: String] = [
        2: "a JWK set with shared secrets, which no one may send us", 13: "as 2", 14: "as 2", 15: "as 2",
    ]

    @Test("signatures are judged as in json_web_signature_test.json, but for the departures listed")
    func signatures() async throws {
        let differing = try await differences(in: "json_web_signature_test.json", total: 401) { try [await JSONWebKey($0)] }

        #expect(differing == Self.signatureDepartures.keys.sorted())
    }

    @Test("key sets are judged as in json_web_key_test.json, but for the departures listed")
    func keys() async throws {
        let differing = try await differences(in: "json_web_key_test.json", total: 26) { try await JSONWebKey.set($0) }

        #expect(differing == Self.keyDepartures.keys.sorted())
    }

    private func differences(in file: String, total: Int, keys: (JSONValue) async throws -> [JSONWebKey]) async throws -> [Int] {
        var differing: [Int] = []
        var count = 0
        for group in try #require(Vectors.read(file)["testGroups"]?.array) {
            let key = try #require(group["public"] ?? group["private"])
            let publicKeys = (try? await keys(key)) ?? []
            let secret = try LegacyKey(key)
            for test in group["tests"]?.array ?? [] {
                count += 1
                let accepted = judge(test["jws"]?.string ?? "", publicKeys, secret)
                if accepted != (test["result"] == "valid") { differing.append(test["tcId"]?.integer ?? 0) }
            }
        }
        #expect(count == total)
        return differing.sorted()
    }

    private func judge(_ text: String, _ keys: [JSONWebKey], _ secret: LegacyKey?) -> Bool {
        guard let jws = try? CompactJWS(text) else { return false }
        if let secret { return secret.value.signed(jws) && (jws.kid == nil || jws.kid == secret.kid) }
        return keys.contains { jws.isSigned(by: $0) && (jws.kid == nil || jws.kid == $0.kid) }
    }

    /// A single `oct` key of HS256, as a legacy app has one.
    private struct LegacyKey {
        let value: LegacySecret
        let kid: String?

        init?(_ jwk: JSONValue) throws {
            guard jwk["kty"] == "oct", jwk["alg"] == "HS256", let bytes = Base64URL.decode(jwk["k"]?.string ?? "") else { return nil }
            value = try LegacySecret(SecretBytes(bytes))
            kid = jwk["kid"]?.string
        }
    }
}
