import Base
import Crypto
import Foundation

/// A P-256 pair. The protocol has one pair for agreeing (ECDH) and for signing (ECDSA): the master pair of an
/// application, the server's pair of a registration.
public struct PowerAuthKeyPair: Sendable {
    private let agreement: P256.KeyAgreement.PrivateKey

    /// 65 bytes, uncompressed.
    public let public65: [UInt8]

    private init(_ agreement: P256.KeyAgreement.PrivateKey) {
        self.agreement = agreement
        public65 = Array(agreement.publicKey.x963Representation)
    }

    public static func fresh() -> PowerAuthKeyPair { PowerAuthKeyPair(P256.KeyAgreement.PrivateKey()) }

    /// From 32 bytes, as `privateBytes` gave them.
    public init(privateBytes: SecretBytes) throws(PowerAuthRefusal) {
        guard let key = privateBytes.expose({ try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }) else {
            throw .keyMalformed
        }
        self.init(key)
    }

    /// 32 bytes, to be sealed.
    public var privateBytes: SecretBytes { SecretBytes(agreement.rawRepresentation) }

    /// 33 bytes, as SDKs send their own.
    public var public33: [UInt8] { Array(agreement.publicKey.compressedRepresentation) }

    /// ECDH: the shared point's first coordinate, always 32 bytes.
    public func sharedSecret(with peer: [UInt8]) throws(PowerAuthRefusal) -> SecretBytes {
        let point = try PublicPoint.check(peer)
        guard let shared = try? agreement.sharedSecretFromKeyAgreement(with: point) else { throw .publicKeyMalformed }
        return SecretBytes(shared.withUnsafeBytes { Array($0) })
    }

    /// ECDSA with SHA-256, in DER: codes of activation and offline codes.
    public func sign(_ message: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        Array(try signature(message).derRepresentation)
    }

    /// The same as r and s side by side, 64 bytes (RFC 7518, 3.4): JWTs.
    public func signRaw(_ message: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        Array(try signature(message).rawRepresentation)
    }

    private func signature(_ message: [UInt8]) throws(PowerAuthRefusal) -> P256.Signing.ECDSASignature {
        do {
            return try P256.Signing.PrivateKey(rawRepresentation: agreement.rawRepresentation).signature(for: message)
        } catch {
            throw .keyMalformed
        }
    }
}
