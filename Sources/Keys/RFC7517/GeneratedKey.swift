import Base
import Crypto
import JWTKit
import SwiftASN1

/// A key pair that was made for somebody else – an app's version, a client – as JWKs (RFC 7517; RFC 7518, 6.2.2 and
/// 6.3.2; RFC 8037, 2). Nothing here keeps it.
public struct GeneratedKey: Sendable {
    /// With `kid`, `alg` and `use`; the thumbprint unless a `kid` was given.
    public let publicKey: JSONWebKey
    /// The same with the private members, as text.
    public let privateJWK: SecretBytes

    public static func make(
        _ algorithm: SigningAlgorithm, kid: String? = nil, randomness: Randomness
    ) async throws -> GeneratedKey {
        let (key, pem) = try await PrivateSigningKey.named(algorithm, randomness: randomness)
        var published = key.publicKey
        if let kid { published.kid = kid }
        var members = published.json.object ?? [:]
        let text = pem.expose { String(decoding: $0, as: UTF8.self) }
        for (name, value) in try secrets(algorithm, pem: text) { members[name] = .string(Base64URL.encode(value)) }
        return GeneratedKey(publicKey: published, privateJWK: SecretBytes(JSONValue.object(members).text.utf8))
    }

    /// The members that make a public JWK a private one.
    private static func secrets(_ algorithm: SigningAlgorithm, pem: String) throws -> [(String, [UInt8])] {
        switch algorithm {
        case .es256: [("d", Array(try P256.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation))]
        case .es384: [("d", Array(try P384.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation))]
        case .es512: [("d", Array(try P521.Signing.PrivateKey(pemRepresentation: pem).rawRepresentation))]
        case .edDSA, .ed25519: [("d", Array(try EdDSA.PrivateKey(pem: pem).rawRepresentation))]
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
            try numbers(Array(Insecure.RSA.PrivateKey(pem: pem).derRepresentation))
        }
    }

    /// RSAPrivateKey (RFC 8017, A.1.2), which has them in the order of RFC 7518 behind modulus and exponent.
    private static func numbers(_ der: [UInt8]) throws -> [(String, [UInt8])] {
        try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            for _ in ["version", "modulus", "exponent"] { _ = try ArraySlice<UInt8>(derEncoded: &nodes) }
            return try ["d", "p", "q", "dp", "dq", "qi"].map { name in
                (name, Array(try ArraySlice<UInt8>(derEncoded: &nodes).drop { $0 == 0 }))
            }
        }
    }
}
