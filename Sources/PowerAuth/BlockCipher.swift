import Base
import Crypto
import CryptoExtras
import Foundation

/// AES-128 in CBC mode, with or without PKCS#7 padding (protocols/operations.md, 4.1).
enum BlockCipher {
    static let blockSize = 16
    static let zeroIV = [UInt8](repeating: 0, count: blockSize)

    /// `keyMalformed` unless key and `iv` have 16 bytes, `plaintextMalformed` unless whole blocks are given where
    /// nothing is padded.
    static func encrypt(
        _ plaintext: [UInt8], key: SecretBytes, iv: [UInt8], padded: Bool = true
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard key.count == blockSize, iv.count == blockSize else { throw .keyMalformed }
        guard padded || plaintext.count.isMultiple(of: blockSize) else { throw .plaintextMalformed }
        do {
            return Array(
                try AES._CBC.encrypt(plaintext, using: symmetric(key), iv: AES._CBC.IV(ivBytes: iv), noPadding: !padded)
            )
        } catch {
            throw .keyMalformed
        }
    }

    /// Decrypt only what a MAC has vouched for: wrong padding is told apart here.
    static func decrypt(
        _ ciphertext: [UInt8], key: SecretBytes, iv: [UInt8], padded: Bool = true
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard key.count == blockSize, iv.count == blockSize else { throw .keyMalformed }
        guard !ciphertext.isEmpty, ciphertext.count.isMultiple(of: blockSize) else { throw .ciphertextMalformed }
        do {
            return Array(
                try AES._CBC.decrypt(
                    ciphertext, using: symmetric(key), iv: AES._CBC.IV(ivBytes: iv), noPadding: !padded))
        } catch {
            throw .ciphertextMalformed
        }
    }

    private static func symmetric(_ key: SecretBytes) -> SymmetricKey { key.expose { SymmetricKey(data: $0) } }
}
