import Base
import Testing

@testable import Keys

@Suite("RFC 7515, 8037 and 9449 examples", .enabled(if: Vectors.arePresent, Vectors.whyNot))
struct RFC7515ExampleTests {
    @Test(
        "a signature printed in an RFC is verified by its key, and not once a byte of it is changed",
        arguments: ["rfc7515-A.2-RS256", "rfc7515-A.3-ES256", "rfc7515-A.4-ES512", "rfc8037-A.4-Ed25519"])
    func verified(_ name: String) async throws {
        let example = try Vectors.rfc(name)
        let key = try await JSONWebKey(example.key.publicHalf)

        let jws = try CompactJWS(example.compact)
        // The first letter of the signature, so that no stray bits are involved.
        let dot = try #require(example.compact.lastIndex(of: "."))
        let place = example.compact.index(after: dot)
        let other: Character = example.compact[place] == "A" ? "B" : "A"
        let changed = try CompactJWS(example.compact.replacingCharacters(in: place...place, with: String(other)))

        #expect(jws.isSigned(by: key))
        #expect(!changed.isSigned(by: key))
    }

    @Test("A.5 and RFC 7519 6.1: the unsecured token is refused")
    func unsecured() throws {
        let compact = try Vectors.rfc("rfc7515-A.5-none").compact

        #expect(throws: CompactJWS.Malformed.unsecured) { try CompactJWS(compact) }
    }

    @Test("E: the negative test case for crit is refused")
    func critical() throws {
        let compact = try Vectors.rfc("rfc7515-E-negative-crit").compact

        // Its alg is none too, which is seen first.
        #expect(throws: CompactJWS.Malformed.unsecured) { try CompactJWS(compact) }
        #expect(throws: CompactJWS.Malformed.critical) {
            try CompactJWS("eyJhbGciOiJFUzI1NiIsImNyaXQiOlsiaHR0cDovL2V4YW1wbGUuY29tL1VOREVGSU5FRCJdfQ.e30.AAAA")
        }
    }

    @Test("the DPoP proofs of RFC 9449 are signed by the key in their header, whose thumbprint is the printed jkt")
    func dpop() async throws {
        let proofs = try #require(Vectors.read("rfc-examples.json")["dpop"]?.array)

        for proof in proofs {
            let jwt = try JWT(#require(proof["proof"]?.string))
            let key = try await JSONWebKey(jwt.header["jwk"] ?? nil)
            #expect(jwt.isSigned(by: key))
            #expect(key.thumbprint == proof["jkt"]?.string)
            #expect(jwt.type == "dpop+jwt")
            #expect(jwt.date("iat")?.numericDate == proof["iat"]?.integer)
        }
        #expect(proofs.count == 2)
    }
}
