import Crypto
import Foundation

/// A P-256 key of a client: what an app's version, an installation or a service signs with (ES256).
public struct SigningKey: Sendable, Redacted {
    private let publicKey: P256.Signing.PublicKey
    private let make: @Sendable (Data) throws -> P256.Signing.ECDSASignature

    public init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.init(publicKey: key.publicKey) { try key.signature(for: $0) }
    }

    /// Of the 32 bytes that `P256.Signing.PrivateKey.rawRepresentation` gives.
    public init(raw: [UInt8]) throws { self.init(try P256.Signing.PrivateKey(rawRepresentation: raw)) }

    /// A fresh one, with the bytes by which it can be had again: they belong in a place for secrets.
    public static func made() -> (key: SigningKey, raw: [UInt8]) {
        let key = P256.Signing.PrivateKey()
        return (SigningKey(key), [UInt8](key.rawRepresentation))
    }

    /// Of PEM (PKCS #8 or SEC 1).
    public init(pem: String) throws { self.init(try P256.Signing.PrivateKey(pemRepresentation: pem)) }

    /// One whose private half is elsewhere, such as in the Secure Enclave.
    public init(
        publicKey: P256.Signing.PublicKey, sign: @escaping @Sendable (Data) throws -> P256.Signing.ECDSASignature
    ) {
        (self.publicKey, make) = (publicKey, sign)
    }

    /// The public half (RFC 7517).
    public var jwk: JSON {
        let point = [UInt8](publicKey.rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    /// RFC 7638.
    public var thumbprint: String { VerificationKey(publicKey).thumbprint }
    public var verificationKey: VerificationKey { VerificationKey(publicKey) }
    public var description: String { "P-256 key \(thumbprint)" }

    /// A compact JWS (RFC 7515). `alg` is set here.
    public func sign(_ claims: [String: JSON], header: [String: JSON] = [:]) throws -> String {
        let head = try JSON.object(header.merging(["alg": "ES256"]) { _, own in own }).bytes()
        let input = Base64URL.encode(head) + "." + Base64URL.encode(try JSON.object(claims).bytes())
        return input + "." + Base64URL.encode(try make(Data(input.utf8)).rawRepresentation)
    }
}
