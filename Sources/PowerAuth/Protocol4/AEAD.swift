import Base
import Crypto
import CryptoExtras
import Foundation

/// AES-256 in counter mode and then KMAC-256, each with a key for one context (protocols/powerauth4.md): 12 bytes of
/// nonce, 32 of tag, then the ciphertext.
enum AEAD {
    static let nonceCount = 12
    static let tagCount = 32

    /// The two keys of one context.
    struct Keys: Sendable {
        let encryption: SecretBytes
        let mac: SecretBytes

        init(encryption: SecretBytes, mac: SecretBytes) {
            self.encryption = encryption
            self.mac = mac
        }

        init(_ key: SecretBytes, context: [UInt8]) throws(PowerAuthRefusal) {
            encryption = try LabeledKey.derive(key, .envelopeEncryption, diversifier: context)
            mac = try LabeledKey.derive(key, .envelopeMAC, diversifier: context)
        }
    }

    static func seal(
        _ plaintext: [UInt8], keys: Keys, nonce: [UInt8], associated: [UInt8]
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard nonce.count == nonceCount else { throw .keyMalformed }
        let encrypted = try counterMode(plaintext, key: keys.encryption, nonce: nonce)
        return nonce + (try tag(keys, nonce, associated, encrypted)) + encrypted
    }

    /// `envelopeMalformed` when it is too short, `macMismatch` when another key, context or associated data made it;
    /// nothing is decrypted before.
    static func open(_ sealed: [UInt8], keys: Keys, associated: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        guard sealed.count >= nonceCount + tagCount else { throw .envelopeMalformed }
        let nonce = Array(sealed.prefix(nonceCount)), encrypted = Array(sealed.dropFirst(nonceCount + tagCount))
        let expected = try tag(keys, nonce, associated, encrypted)
        guard ConstantTime.equal(expected, Array(sealed.dropFirst(nonceCount).prefix(tagCount))) else {
            throw .macMismatch
        }
        return try counterMode(encrypted, key: keys.encryption, nonce: nonce)
    }

    private static func tag(
        _ keys: Keys, _ nonce: [UInt8], _ associated: [UInt8], _ encrypted: [UInt8]
    ) throws(PowerAuthRefusal) -> [UInt8] {
        try KMAC256.mac(key: keys.mac, nonce + associated + encrypted, .envelope, length: tagCount)
    }

    /// The counter begins at zero behind the nonce.
    private static func counterMode(
        _ bytes: [UInt8], key: SecretBytes, nonce: [UInt8]
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        do {
            return Array(
                try AES._CTR.encrypt(
                    bytes, using: key.expose { SymmetricKey(data: $0) }, nonce: AES._CTR.Nonce(nonceBytes: nonce)))
        } catch {
            throw .keyMalformed
        }
    }
}
