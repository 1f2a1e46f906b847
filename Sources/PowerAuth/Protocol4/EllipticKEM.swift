import Base
import Crypto
import Foundation

/// A secret for a key of P-384: what an HPKE context (RFC 9180, base mode, DHKEM(P-384, HKDF-SHA384), HKDF-SHA384,
/// export only) exports (protocols/powerauth4.md). The protocol's document says DHKEM alone; its vectors have the
/// export.
struct EllipticKEM: Sendable {
    private static let information = Data("DHKEM-P384".utf8)
    private static let suite = HPKE.Ciphersuite(kem: .P384_HKDF_SHA384, kdf: .HKDF_SHA384, aead: .exportOnly)

    private let key: P384.KeyAgreement.PrivateKey

    static func fresh() -> EllipticKEM { EllipticKEM(key: P384.KeyAgreement.PrivateKey()) }

    private init(key: P384.KeyAgreement.PrivateKey) { self.key = key }

    /// From 48 bytes.
    init(privateBytes: SecretBytes) throws(PowerAuthRefusal) {
        guard let key = privateBytes.expose({ try? P384.KeyAgreement.PrivateKey(rawRepresentation: $0) }) else {
            throw .keyMalformed
        }
        self.init(key: key)
    }

    /// 97 bytes, uncompressed.
    var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

    /// 49 or 97 bytes of a point on the curve, or `publicKeyMalformed`.
    static func check(_ bytes: [UInt8]) throws(PowerAuthRefusal) -> P384.KeyAgreement.PublicKey {
        do {
            switch (bytes.count, bytes.first ?? 0) {
            case (49, 2), (49, 3): return try P384.KeyAgreement.PublicKey(compressedRepresentation: bytes)
            case (97, 4): return try P384.KeyAgreement.PublicKey(x963Representation: bytes)
            default: throw PowerAuthRefusal.publicKeyMalformed
            }
        } catch {
            throw .publicKeyMalformed
        }
    }

    static func encapsulate(
        _ publicKey: [UInt8]
    ) throws(PowerAuthRefusal) -> (secret: SecretBytes, encapsulated: [UInt8]) {
        let key = try check(publicKey)
        do {
            let sender = try HPKE.Sender(recipientKey: key, ciphersuite: suite, info: information)
            let secret = try sender.exportSecret(context: information, outputByteCount: 48)
            return (SecretBytes(secret.withUnsafeBytes { Array($0) }), Array(sender.encapsulatedKey))
        } catch {
            throw .publicKeyMalformed
        }
    }

    /// `publicKeyMalformed` for what is no point: the encapsulated key is one of 97 bytes.
    func decapsulate(_ encapsulated: [UInt8]) throws(PowerAuthRefusal) -> SecretBytes {
        guard encapsulated.count == 97 else { throw .publicKeyMalformed }
        do {
            let recipient = try HPKE.Recipient(
                privateKey: key, ciphersuite: Self.suite, info: Self.information, encapsulatedKey: Data(encapsulated))
            let secret = try recipient.exportSecret(context: Self.information, outputByteCount: 48)
            return SecretBytes(secret.withUnsafeBytes { Array($0) })
        } catch {
            throw .publicKeyMalformed
        }
    }
}
