import Base
import JWTKit
import PKIX

/// What makes a JWK the key it is (RFC 7518, 6; RFC 8037, 2): the members of the thumbprint, checked one by one.
///
/// A coordinate has its full length and an integer no leading zero, so that one key has one spelling and one
/// thumbprint: blocks and bindings are by thumbprint.
enum KeyMaterial: Sendable {
    case elliptic(curve: Curve, x: String, y: String)
    case ed25519(x: String)
    case rsa(n: String, e: String)

    enum Curve: String, Sendable {
        case p256 = "P-256", p384 = "P-384", p521 = "P-521"

        var size: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }
        var algorithm: SigningAlgorithm {
            switch self {
            case .p256: .es256
            case .p384: .es384
            case .p521: .es512
            }
        }
    }

    init(_ jwk: JSONObject) throws(JSONWebKey.Unacceptable) {
        switch jwk["kty"]?.string {
        case "EC":
            guard let name = jwk["crv"]?.string, let curve = Curve(rawValue: name) else {
                throw .unsupported("an EC key needs crv P-256, P-384 or P-521")
            }
            self = .elliptic(
                curve: curve, x: try Self.octets("x", of: jwk, count: curve.size),
                y: try Self.octets("y", of: jwk, count: curve.size))
        case "OKP":
            guard jwk["crv"]?.string == "Ed25519" else { throw .unsupported("an OKP key needs crv Ed25519") }
            let x = try Self.octets("x", of: jwk, count: 32)
            guard let point = Base64URL.decode(x), EdwardsPoint.isUsable(point) else {
                throw .unsound(
                    "x is a point of small order or not reduced: anyone could sign for it; generate a new key")
            }
            self = .ed25519(x: x)
        case "RSA":
            self = .rsa(n: try Self.octets("n", of: jwk, count: nil), e: try Self.octets("e", of: jwk, count: nil))
            try Self.checkRSA(jwk)
        case "oct": throw .symmetric
        default: throw .unsupported("kty must be EC, OKP or RSA")
        }
    }

    private static func checkRSA(_ jwk: JSONObject) throws(JSONWebKey.Unacceptable) {
        let (modulus, exponent) = (
            jwk["n"]?.string.flatMap { Base64URL.decode($0) }, jwk["e"]?.string.flatMap { Base64URL.decode($0) }
        )
        do throws(RSAModulus.Unsound) {
            try RSAModulus.check(modulus ?? [], exponent: exponent ?? [])
        } catch {
            throw .unsound(error.reason)
        }
    }

    private static func octets(
        _ name: String, of jwk: JSONObject, count: Int?
    ) throws(JSONWebKey.Unacceptable) -> String {
        guard let text = jwk[name]?.string, let bytes = Base64URL.decode(text) else {
            throw .unsound("\(name) must be base64url without padding")
        }
        if let count, bytes.count != count {
            throw .unsound("\(name) must be \(count) bytes long, leading zeros included")
        }
        return text
    }

    /// RFC 7638, 3.2; RFC 8037, 2: the required members, in lexical order.
    var bare: JSONValue {
        switch self {
        case .elliptic(let curve, let x, let y):
            ["crv": .string(curve.rawValue), "kty": "EC", "x": .string(x), "y": .string(y)]
        case .ed25519(let x): ["crv": "Ed25519", "kty": "OKP", "x": .string(x)]
        case .rsa(let n, let e): ["e": .string(e), "kty": "RSA", "n": .string(n)]
        }
    }

    /// What the key may be used with, its natural algorithm first.
    var algorithms: [SigningAlgorithm] {
        switch self {
        case .elliptic(let curve, _, _): [curve.algorithm]
        case .ed25519: SigningAlgorithm.ofEd25519
        case .rsa: SigningAlgorithm.ofRSA
        }
    }

    /// Throws what JWTKit throws when the point is not on its curve, or the modulus too small.
    func verifiers(for algorithms: [SigningAlgorithm]) async throws -> [SigningAlgorithm: Primitive.Algorithm] {
        var verifiers: [SigningAlgorithm: Primitive.Algorithm] = [:]
        for algorithm in algorithms { verifiers[algorithm] = try await verifier(for: algorithm) }
        return verifiers
    }

    private func verifier(for algorithm: SigningAlgorithm) async throws -> Primitive.Algorithm {
        switch self {
        case .elliptic(.p256, let x, let y): try await Primitive.ecdsa(ES256PublicKey(parameters: (x, y)))
        case .elliptic(.p384, let x, let y): try await Primitive.ecdsa(ES384PublicKey(parameters: (x, y)))
        case .elliptic(.p521, let x, let y): try await Primitive.ecdsa(ES512PublicKey(parameters: (x, y)))
        case .ed25519(let x): try await Primitive.edDSA(EdDSA.PublicKey(x: x, curve: .ed25519))
        case .rsa(let n, let e): try await Primitive.rsa(Insecure.RSA.PublicKey(modulus: n, exponent: e), algorithm)
        }
    }
}
