import Crypto
import Foundation

/// A public key (RFC 7517) that ES256 or EdDSA signatures are checked with. There is no RSA in swift-crypto's `Crypto`.
public struct VerificationKey: Sendable, Equatable {
    /// What is wrong with a JWK, in words.
    public struct Unusable: Error, CustomStringConvertible { public let description: String }

    private enum Material: Sendable {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    public let keyID: String?
    /// The public members alone.
    public let jwk: JSON
    /// RFC 7638.
    public let thumbprint: String
    private let material: Material

    init(_ key: P256.Signing.PublicKey) { self.init(.p256(key), keyID: nil) }

    /// - Throws: `Unusable`, for private keys too (RFC 9449, 4.3).
    public init(_ jwk: JSON) throws {
        guard jwk["d"] == nil, jwk["k"] == nil else { throw Unusable(description: "it is not public") }
        let x = jwk["x"]?.string.flatMap { Base64URL.decode($0) }, y = jwk["y"]?.string.flatMap { Base64URL.decode($0) }
        let material: Material?
        switch (jwk["kty"]?.string, jwk["crv"]?.string, x, y) {
        case ("EC", "P-256", let x?, let y?) where x.count == 32 && y.count == 32:
            material = (try? P256.Signing.PublicKey(rawRepresentation: x + y)).map { .p256($0) }
        case ("OKP", "Ed25519", let x?, nil):
            material = (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map { .ed25519($0) }
        default: material = nil
        }
        guard let material else { throw Unusable(description: "it is no point of P-256 or Ed25519") }
        self.init(material, keyID: jwk["kid"]?.string)
    }

    private init(_ material: Material, keyID: String?) {
        (self.material, self.keyID) = (material, keyID)
        switch material {
        case .p256(let key):
            let point = [UInt8](key.rawRepresentation)
            let x = Base64URL.encode(point[..<32]), y = Base64URL.encode(point[32...])
            jwk = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]
            thumbprint = Identifiers.sha256(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#)
        case .ed25519(let key):
            let x = Base64URL.encode(key.rawRepresentation)
            jwk = ["kty": "OKP", "crv": "Ed25519", "x": .string(x)]
            thumbprint = Identifiers.sha256(#"{"crv":"Ed25519","kty":"OKP","x":"\#(x)"}"#)
        }
    }

    public static func == (one: VerificationKey, other: VerificationKey) -> Bool {
        one.thumbprint == other.thumbprint && one.keyID == other.keyID
    }

    /// True where this key made it, with the algorithm that belongs to the key (RFC 8725, 3.1).
    func signed(_ input: [UInt8], _ signature: [UInt8], algorithm: String) -> Bool {
        switch (material, algorithm) {
        case (.p256(let key), "ES256"):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
                key.isValidSignature($0, for: Data(input))
            } ?? false
        case (.ed25519(let key), "EdDSA"): key.isValidSignature(Data(signature), for: Data(input))
        default: false
        }
    }
}
