import Base
import CKMAC

/// KMAC-256 (NIST SP 800-185, 4): the one MAC and, under other customization strings, the one derivation of protocol 4
/// (protocols/powerauth4.md).
public enum KMAC256 {
    /// The customization strings of the protocol.
    public enum Purpose: String, Sendable {
        case authenticationCode = "PA4CODE"
        case tokenDigest = "PA4DIGEST"
        case sharedInfo2 = "PA4SH2"
        case offlineCode = "PA4MAC-QR"
        case status = "PA4MAC-STATUS"
        case counter = "PA4MAC-CTR"
        case envelope = "PA4MAC-AEAD"
        case keyDerivation = "PA4KDF"
        case password = "PA4PBKDF"
        case sharedSecret = "KDF"
    }

    public static func mac(
        key: SecretBytes, _ message: [UInt8], _ purpose: Purpose, length: Int = 32
    ) throws(PowerAuthRefusal) -> [UInt8] {
        try mac(key: key, message, custom: Array(purpose.rawValue.utf8), length: length)
    }

    /// `keyMalformed` unless `key` has 4 to 512 bytes and `custom` no more than 512, which is what libcrypto takes.
    static func mac(
        key: SecretBytes, _ message: [UInt8], custom: [UInt8], length: Int
    ) throws(PowerAuthRefusal) -> [UInt8] {
        guard (4...512).contains(key.count), custom.count <= 512, (1...4096).contains(length) else {
            throw .keyMalformed
        }
        var output = [UInt8](repeating: 0, count: length)
        let isMade = key.expose { key in
            pando_kmac256(key, key.count, custom, custom.count, message, message.count, &output, output.count)
        }
        guard isMade == 1 else { throw .keyMalformed }
        return output
    }
}
