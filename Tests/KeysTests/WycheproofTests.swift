import Base
import Testing

@testable import Keys

@Suite("Wycheproof", .enabled(if: Vectors.arePresent, Vectors.whyNot))
struct WycheproofTests {
    /// Vectors on which we differ, and why. A test compares for equality: a new difference fails, and so does one that
    /// is gone.
    private static let signatureDepartures: [Int: String] = [
        346: "the key states PS256 and the token PS384: a stated alg is the only one", 350: "as 346",
        347: "the key states ES521, which is no algorithm", 351: "as 347",
    ]
    private static let keyDepartures: [Int: String] = [
        2: "a JWK set with shared secrets, which no one may send us", 13: "as 2", 14: "as 2", 15: "as 2",
    ]

    @Test("signatures are judged as in json_web_signature_test.json, but for the departures listed")
    func signatures() async throws {
        let differing = try await differences(in: "json_web_signature_test.json", total: 401) {
            try [await JSONWebKey($0)]
        }

        #expect(differing == Self.signatureDepartures.keys.sorted())
    }

    @Test("key sets are judged as in json_web_key_test.json, but for the departures listed")
    func keys() async throws {
        let differing = try await differences(in: "json_web_key_test.json", total: 26) { try await JSONWebKey.set($0) }

        #expect(differing == Self.keyDepartures.keys.sorted())
    }

    private func differences(
        in file: String, total: Int, keys: (JSONValue) async throws -> [JSONWebKey]
    ) async throws -> [Int] {
        var differing: [Int] = []
        var count = 0
        for group in try #require(Vectors.read(file)["testGroups"]?.array) {
            let key = try #require(group["public"] ?? group["private"])
            let publicKeys = (try? await keys(key)) ?? []
            for test in group["tests"]?.array ?? [] {
                count += 1
                let accepted = judge(test["jws"]?.string ?? "", publicKeys)
                // There is no HMAC here: what a shared secret has signed is refused, good or bad.
                if accepted != (test["result"] == "valid" && key["kty"] != "oct") {
                    differing.append(test["tcId"]?.integer ?? 0)
                }
            }
        }
        #expect(count == total)
        return differing.sorted()
    }

    private func judge(_ text: String, _ keys: [JSONWebKey]) -> Bool {
        guard let jws = try? CompactJWS(text) else { return false }
        return keys.contains { jws.isSigned(by: $0) && (jws.kid == nil || jws.kid == $0.kid) }
    }
}
