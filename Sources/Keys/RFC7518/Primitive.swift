import JWTKit

/// The seam to JWTKit: a key of JWTKit becomes something that signs and verifies bytes, synchronously.
enum Primitive {
    typealias Algorithm = any JWTAlgorithm

    static func ecdsa(_ key: some ECDSAKey) async throws -> Algorithm {
        try await JWTKeyCollection().add(ecdsa: key).getKey()
    }

    static func edDSA(_ key: some EdDSAKey) async throws -> Algorithm {
        try await JWTKeyCollection().add(eddsa: key).getKey()
    }

    /// `algorithm` is one of `SigningAlgorithm.ofRSA`; anything else is RS256.
    static func rsa(_ key: some RSAKey, _ algorithm: SigningAlgorithm) async throws -> Algorithm {
        let keys = JWTKeyCollection()
        switch algorithm {
        case .rs384: await keys.add(rsa: key, digestAlgorithm: .sha384)
        case .rs512: await keys.add(rsa: key, digestAlgorithm: .sha512)
        case .ps256: await keys.add(pss: key, digestAlgorithm: .sha256)
        case .ps384: await keys.add(pss: key, digestAlgorithm: .sha384)
        case .ps512: await keys.add(pss: key, digestAlgorithm: .sha512)
        case .rs256, .es256, .es384, .es512, .edDSA, .ed25519: await keys.add(rsa: key, digestAlgorithm: .sha256)
        }
        return try await keys.getKey()
    }
}
