import Base
import Testing

@testable import Keys

@Suite("RFC 7638 thumbprint")
struct RFC7638ThumbprintTests {
    /// RFC 7638, 3.1.
    static let example: JSONValue = [
        "kty": "RSA",
        "n": """
        0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3\
        oknjhMs\
        tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qM\
        QvRL5haj\
        rn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
        """,
        "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
    ]

    @Test("the example of section 3.1 has the thumbprint printed there")
    func sectionThreeOne() async throws {
        let key = try await JSONWebKey(Self.example)

        #expect(key.thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(key.bare.object?.names == ["e", "kty", "n"])
        #expect(key.json.object?.names == ["e", "kty", "n", "kid", "alg"])
    }

    @Test("kid, alg and use make no other key")
    func namesDoNotCount() async throws {
        let named = try await JSONWebKey(Self.example)
        let bare = try await JSONWebKey(named.bare)

        #expect(named == bare)
        #expect(bare.kid == nil)
        #expect(bare.json == bare.bare)
    }

    @Test("every published example has its thumbprint", .enabled(if: Vectors.arePresent, Vectors.whyNot))
    func published() async throws {
        let examples = try #require(Vectors.read("rfc-examples.json")["thumbprints"]?.array)

        for example in examples {
            let key = try await JSONWebKey(example["jwk"] ?? nil)
            #expect(key.thumbprint == example["sha256_b64u"]?.string, "\(example["source"]?.string ?? "")")
        }
        #expect(examples.count == 3)
    }
}
