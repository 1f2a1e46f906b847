import Crypto
import SwiftASN1
import X509

/// A public key by its numbers alone, so that keys from different encodings can be compared: COSE, TPM and X.509.
public enum PublicKeyNumbers: Sendable, Equatable {
    public enum Curve: Sendable, Equatable, CaseIterable {
        case p256, p384, p521

        /// Of a coordinate, in bytes.
        public var size: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// Coordinates of full length.
    case elliptic(Curve, x: [UInt8], y: [UInt8])
    case ed25519([UInt8])
    /// Without leading zeros.
    case rsa(n: [UInt8], e: [UInt8])

    /// Whether the key deserves trust: a point on its curve, no point of small order, an RSA key of 2048 to 8192 bits
    /// without known flaws.
    public var isSound: Bool {
        switch self {
        case .elliptic(let curve, let x, let y):
            guard x.count == curve.size, y.count == curve.size else { return false }
            return switch curve {
            case .p256: (try? P256.Signing.PublicKey(x963Representation: Self.uncompressed(x, y))) != nil
            case .p384: (try? P384.Signing.PublicKey(x963Representation: Self.uncompressed(x, y))) != nil
            case .p521: (try? P521.Signing.PublicKey(x963Representation: Self.uncompressed(x, y))) != nil
            }
        case .ed25519(let point): return EdwardsPoint.isUsable(point)
        case .rsa(let n, let e): return (try? RSAModulus.check(n, exponent: e)) != nil
        }
    }

    /// `nil` for a kind of key that is not here.
    public init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = Self.point(.p256, Array(key.rawRepresentation))
        } else if let key = P384.Signing.PublicKey(key) {
            self = Self.point(.p384, Array(key.rawRepresentation))
        } else if let key = P521.Signing.PublicKey(key) {
            self = Self.point(.p521, Array(key.rawRepresentation))
        } else if let key = Curve25519.Signing.PublicKey(key) {
            self = .ed25519(Array(key.rawRepresentation))
        } else {
            // RSAPublicKey (RFC 8017, A.1.1).
            let numbers = try? DER.sequence(DER.parse(key.subjectPublicKeyInfoBytes), identifier: .sequence) { nodes in
                (try ArraySlice<UInt8>(derEncoded: &nodes), try ArraySlice<UInt8>(derEncoded: &nodes))
            }
            guard let (n, e) = numbers else { return nil }
            self = .rsa(n: Array(n.drop { $0 == 0 }), e: Array(e.drop { $0 == 0 }))
        }
    }

    /// The point as X9.62 writes it.
    public static func uncompressed(_ x: [UInt8], _ y: [UInt8]) -> [UInt8] { [4] + x + y }

    private static func point(_ curve: Curve, _ raw: [UInt8]) -> PublicKeyNumbers {
        .elliptic(curve, x: Array(raw.prefix(curve.size)), y: Array(raw.dropFirst(curve.size)))
    }
}
