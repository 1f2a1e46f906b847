import Base
import Crypto
import SwiftASN1
import X509

extension KeyMaterial {
    /// The JWK of a certificate's key; `nil` when no JWK could be it: an RSA key too small or too large, an Ed25519
    /// point of small order.
    init?(_ key: Certificate.PublicKey) {
        guard let members = KeyMaterial.members(key), let material = try? KeyMaterial(members) else { return nil }
        self = material
    }

    private static func members(_ key: Certificate.PublicKey) -> JSONObject? {
        if let key = P256.Signing.PublicKey(key) { return elliptic("P-256", Array(key.rawRepresentation)) }
        if let key = P384.Signing.PublicKey(key) { return elliptic("P-384", Array(key.rawRepresentation)) }
        if let key = P521.Signing.PublicKey(key) { return elliptic("P-521", Array(key.rawRepresentation)) }
        if let key = Curve25519.Signing.PublicKey(key) {
            return ["crv": "Ed25519", "kty": "OKP", "x": .string(Base64URL.encode(key.rawRepresentation))]
        }
        return rsa(Array(key.subjectPublicKeyInfoBytes))
    }

    private static func elliptic(_ curve: JSONValue, _ point: [UInt8]) -> JSONObject {
        let half = point.count / 2
        return [
            "crv": curve, "kty": "EC", "x": .string(Base64URL.encode(point[..<half])),
            "y": .string(Base64URL.encode(point[half...])),
        ]
    }

    /// RSAPublicKey (RFC 8017, A.1.1): modulus and exponent.
    private static func rsa(_ der: [UInt8]) -> JSONObject? {
        let numbers = try? DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
            (try ArraySlice<UInt8>(derEncoded: &nodes), try ArraySlice<UInt8>(derEncoded: &nodes))
        }
        guard let (n, e) = numbers else { return nil }
        func text(_ number: ArraySlice<UInt8>) -> JSONValue { .string(Base64URL.encode(number.drop { $0 == 0 })) }
        return ["e": text(e), "kty": "RSA", "n": text(n)]
    }
}
