import Crypto
import Foundation

/// Public keys from the network: points of P-256, compressed or not.
public enum PublicPoint {
    /// 33 or 65 bytes of a point on the curve, or `publicKeyMalformed`. The point at infinity has neither form.
    public static func check(_ bytes: [UInt8]) throws(PowerAuthRefusal) -> P256.KeyAgreement.PublicKey {
        do {
            switch (bytes.count, bytes.first ?? 0) {
            case (33, 2), (33, 3): return try P256.KeyAgreement.PublicKey(compressedRepresentation: bytes)
            case (65, 4): return try P256.KeyAgreement.PublicKey(x963Representation: bytes)
            default: throw PowerAuthRefusal.publicKeyMalformed
            }
        } catch {
            throw .publicKeyMalformed
        }
    }

    /// 65 bytes, however it was sent.
    public static func uncompressed(_ bytes: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        Array(try check(bytes).x963Representation)
    }

    /// 33 bytes, however it was sent.
    public static func compressed(_ bytes: [UInt8]) throws(PowerAuthRefusal) -> [UInt8] {
        Array(try check(bytes).compressedRepresentation)
    }

    /// The first coordinate as a number, that is without leading zero bytes.
    static func x(_ key: P256.KeyAgreement.PublicKey) -> [UInt8] {
        Array(key.rawRepresentation.prefix(32).drop { $0 == 0 })
    }

    /// Whether `signature` (ECDSA with SHA-256, DER) is of `message`; `false` for keys and signatures that are none.
    public static func isSigned(_ message: [UInt8], der signature: [UInt8], by key: [UInt8]) -> Bool {
        guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return isSigned(message, parsed, by: key)
    }

    /// As above with r and s side by side, 64 bytes (RFC 7518, 3.4).
    public static func isSigned(_ message: [UInt8], raw signature: [UInt8], by key: [UInt8]) -> Bool {
        guard let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return isSigned(message, parsed, by: key)
    }

    private static func isSigned(_ message: [UInt8], _ signature: P256.Signing.ECDSASignature, by key: [UInt8]) -> Bool
    {
        guard let point = try? uncompressed(key), let key = try? P256.Signing.PublicKey(x963Representation: point)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }
}
