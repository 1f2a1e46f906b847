import Base
import Foundation
import JWTKit

/// A private key of this issuer, able to sign. At rest it is PEM, sealed under the master key.
struct PrivateSigningKey: Sendable {
    struct NotAKey: Error, CustomStringConvertible {
        let description =
            "the random source gave no usable private key, or the stored one is not a private key of its algorithm"
    }

    let algorithm: SigningAlgorithm
    /// With `kid` (its thumbprint), `alg` and `use`.
    let publicKey: JSONWebKey
    private let primitive: Primitive.Algorithm

    init(pem: SecretBytes, algorithm: SigningAlgorithm) async throws {
        let text = pem.expose { String(decoding: $0, as: UTF8.self) }
        self.algorithm = algorithm
        let jwk: JSONObject
        switch algorithm {
        case .es256: (primitive, jwk) = try await Self.elliptic(ES256PrivateKey(pem: text), curve: "P-256")
        case .es384: (primitive, jwk) = try await Self.elliptic(ES384PrivateKey(pem: text), curve: "P-384")
        case .es512: (primitive, jwk) = try await Self.elliptic(ES512PrivateKey(pem: text), curve: "P-521")
        case .edDSA, .ed25519:
            let key = try EdDSA.PrivateKey(pem: text)
            primitive = try await Primitive.edDSA(key)
            jwk = ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(key.publicKey.rawRepresentation))]
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            let key = try Insecure.RSA.PrivateKey(pem: text)
            primitive = try await Primitive.rsa(key, algorithm)
            let (modulus, exponent) = try key.publicKey.getKeyPrimitives()
            jwk = ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent))]
        }
        publicKey = try await Self.named(jwk, algorithm)
    }

    func sign(_ bytes: [UInt8]) throws -> [UInt8] { try primitive.sign(bytes) }

    /// A new key, as PEM. Elliptic keys come from `randomness` by testing candidates (FIPS 186-5, A.2.2); RSA keys of
    /// 2048 bits from swift-crypto's own generator, which takes no other source.
    static func generate(_ algorithm: SigningAlgorithm, randomness: Randomness) throws -> SecretBytes {
        for _ in 0..<8 {
            guard let pem = try? candidate(algorithm, randomness: randomness) else { continue }
            return SecretBytes(pem.utf8)
        }
        throw NotAKey()
    }

    /// A new key and its PEM. Its kid, which is a hash, does not begin with `-`: operators name keys by it (`keys
    /// revoke KID`).
    static func named(
        _ algorithm: SigningAlgorithm, randomness: Randomness
    ) async throws -> (key: PrivateSigningKey, pem: SecretBytes) {
        // One in 64 does.
        for _ in 0..<64 {
            let pem = try generate(algorithm, randomness: randomness),
                key = try await PrivateSigningKey(pem: pem, algorithm: algorithm)
            if !key.publicKey.thumbprint.hasPrefix("-") { return (key, pem) }
        }
        throw NotAKey()
    }

    private static func candidate(_ algorithm: SigningAlgorithm, randomness: Randomness) throws -> String {
        switch algorithm {
        case .es256: return try ES256PrivateKey(key: Base64URL.encode(randomness.bytes(32))).pemRepresentation
        case .es384: return try ES384PrivateKey(key: Base64URL.encode(randomness.bytes(48))).pemRepresentation
        case .es512:
            // 521 bits in 66 bytes.
            var scalar = randomness.bytes(66)
            scalar[0] &= 1
            return try ES512PrivateKey(key: Base64URL.encode(scalar)).pemRepresentation
        case .edDSA, .ed25519:
            return try EdDSA.PrivateKey(d: Base64URL.encode(randomness.bytes(32)), curve: .ed25519).pemRepresentation
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            // Spelled without the type, which lives in a module that only JWTKit imports.
            return try Insecure.RSA.PrivateKey(backing: .init(keySize: .bits2048)).pemRepresentation
        }
    }

    private static func elliptic<Curve>(
        _ key: ECDSA.PrivateKey<Curve>, curve: String
    ) async throws -> (Primitive.Algorithm, JSONObject) {
        // JWTKit gives the coordinates in plain base64.
        guard let parameters = key.parameters, let x = Data(base64Encoded: parameters.x),
            let y = Data(base64Encoded: parameters.y)
        else { throw NotAKey() }
        let jwk: JSONObject = [
            "kty": "EC", "crv": .string(curve), "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
        ]
        return (try await Primitive.ecdsa(key), jwk)
    }

    private static func named(_ jwk: JSONObject, _ algorithm: SigningAlgorithm) async throws -> JSONWebKey {
        var jwk = jwk
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        var key = try await JSONWebKey(.object(jwk))
        key.kid = key.thumbprint
        return key
    }
}
