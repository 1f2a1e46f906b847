import Base
import Testing

@testable import Keys

@Suite("RFC 8725 a key is used with its own algorithm")
struct RFC8725AlgorithmTests {
    @Test(
        "a key of every algorithm signs what its public half verifies, and nobody else's does",
        arguments: SigningAlgorithm.allCases)
    func roundTrip(_ algorithm: SigningAlgorithm) async throws {
        let signer = try await Signer(algorithm)
        let other = try await Signer(.es256)

        let jwt = try JWT(signer.token())

        #expect(jwt.isSigned(by: signer.publicKey))
        #expect(!jwt.isSigned(by: other.publicKey))
        #expect(signer.publicKey.algorithm == algorithm)
        #expect(signer.publicKey.json["use"] == "sig")
        #expect(try await JSONWebKey(signer.publicKey.json).kid == signer.publicKey.thumbprint)
    }

    @Test("HS256 with the public key as secret is refused, in every form of that key")
    func confusion() async throws {
        let signer = try await Signer(.es256)
        let header = Base64URL.encode(#"{"alg":"HS256"}"#.utf8)
        let coordinates = try ["x", "y"].map { try #require(Base64URL.decode(signer.publicKey.bare[$0]?.string ?? "")) }

        for secret in [
            signer.publicKey.json.bytes, signer.publicKey.bare.bytes, coordinates[0],
            [4] + coordinates[0] + coordinates[1],
        ] {
            let mac = Digest.hmac(key: SecretBytes(secret), "\(header).e30".utf8)
            let jwt = try JWT("\(header).e30.\(Base64URL.encode(mac))")
            #expect(!jwt.isSigned(by: signer.publicKey))
        }
        #expect(!signer.publicKey.accepts(algorithm: "HS256"))
    }

    @Test(
        "a right signature under the name of another algorithm is refused",
        arguments: [
            (SigningAlgorithm.es256, "ES384"), (.es256, "EdDSA"), (.es256, "es256"), (.edDSA, "ES256"),
            (.rs256, "PS256"), (.rs256, "RS512"), (.ps256, "RS256"),
        ])
    func mismatch(_ algorithm: SigningAlgorithm, _ name: String) async throws {
        let signer = try await Signer(algorithm)

        let jwt = try JWT(signer.token(header: #"{"alg":"\#(name)"}"#))

        #expect(!jwt.isSigned(by: signer.publicKey))
    }

    @Test(
        "EdDSA and Ed25519 are two names of one algorithm (RFC 9864)", arguments: [SigningAlgorithm.edDSA, .ed25519],
        ["EdDSA", "Ed25519"])
    func spellings(_ algorithm: SigningAlgorithm, _ name: String) async throws {
        let signer = try await Signer(algorithm)

        let jwt = try JWT(signer.token(header: #"{"alg":"\#(name)"}"#))

        #expect(jwt.isSigned(by: signer.publicKey))
        #expect(algorithm.isSame(as: .edDSA))
        #expect(!algorithm.isSame(as: .es256))
    }

    @Test("an RSA key without alg verifies every RSA algorithm, and counts as RS256")
    func unstated() async throws {
        let signer = try await Signer(.ps384)
        let key = try await JSONWebKey(signer.publicKey.bare)

        let jwt = try JWT(signer.token())

        #expect(jwt.isSigned(by: key))
        #expect(key.algorithm == .rs256)
        #expect(!key.accepts(algorithm: "ES256"))
    }
}
