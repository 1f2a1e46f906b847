import Base
import Crypto
import Foundation
import JWTKit
import Testing

@testable import Keys

@Suite("RFC 7517: key pairs for others")
struct GeneratedKeyTests {
    private static func members(_ key: GeneratedKey) throws -> JSONObject {
        let text = key.privateJWK.expose { String(decoding: $0, as: UTF8.self) }
        return try #require(try JSONReader.read(text.utf8).object)
    }

    @Test("the private half is the public one and its own members", arguments: SigningAlgorithm.allCases)
    func members(algorithm: SigningAlgorithm) async throws {
        let key = try await GeneratedKey.make(algorithm, randomness: .system)

        var members = try Self.members(key)
        for name in ["d", "p", "q", "dp", "dq", "qi"] { members[name] = nil }
        #expect(JSONValue.object(members) == key.publicKey.json)
        #expect(members["alg"]?.string == algorithm.rawValue && members["use"] == "sig")
        #expect(members["kid"]?.string == key.publicKey.thumbprint)
        await #expect(throws: JSONWebKey.Unacceptable.privateKey) {
            _ = try await JSONWebKey(.object(try Self.members(key)))
        }
    }

    @Test("d is the scalar of the point", arguments: [SigningAlgorithm.es256, .es384, .es512, .edDSA])
    func scalar(algorithm: SigningAlgorithm) async throws {
        let members = try Self.members(try await GeneratedKey.make(algorithm, randomness: .system))
        let d = try #require(members["d"]?.string.flatMap { Base64URL.decode($0) })

        let point: [UInt8] =
            switch algorithm {
            case .es256: Array(try P256.Signing.PrivateKey(rawRepresentation: d).publicKey.rawRepresentation)
            case .es384: Array(try P384.Signing.PrivateKey(rawRepresentation: d).publicKey.rawRepresentation)
            case .es512: Array(try P521.Signing.PrivateKey(rawRepresentation: d).publicKey.rawRepresentation)
            default: Array(try Curve25519.Signing.PrivateKey(rawRepresentation: d).publicKey.rawRepresentation)
            }

        let named = ["x", "y"].compactMap { members[$0]?.string.flatMap { Base64URL.decode($0) } }.joined()
        #expect(Array(named) == point)
    }

    @Test("the numbers of an RSA key make a key that signs for its public half")
    func rsa() async throws {
        let members = try Self.members(try await GeneratedKey.make(.rs256, randomness: .system))
        func text(_ name: String) throws -> String { try #require(members[name]?.string) }

        // JWTKit makes the key of modulus, exponent and private exponent alone, and finds the primes itself.
        let key = try Insecure.RSA.PrivateKey(
            modulus: try text("n"), exponent: try text("e"), privateExponent: try text("d"))
        let made = try key.publicKey.getKeyPrimitives()

        #expect(Base64URL.encode(made.modulus) == (try text("n")))
        #expect(try ["p", "q", "dp", "dq", "qi"].allSatisfy { try text($0).count > 100 })
    }

    @Test("a kid that was given stands in both halves")
    func named() async throws {
        let key = try await GeneratedKey.make(.es256, kid: "version-7", randomness: .system)

        #expect(key.publicKey.kid == "version-7")
        #expect(try Self.members(key)["kid"] == "version-7")
    }
}
