import Crypto
import Foundation

/// SHA-256, SHA-384, SHA-512 and HMAC-SHA-256 over byte arrays.
public enum Digest {
    public static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: Data(bytes)))
    }

    public static func sha384(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(SHA384.hash(data: Data(bytes))) }
    public static func sha512(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(SHA512.hash(data: Data(bytes))) }

    public static func sha256(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { Array(SHA256.hash(data: $0)) }
    }

    /// SHA-256 as one value: what a memory is keyed by that is not to hold the text.
    public static func fingerprint(_ text: String) -> SIMD4<UInt64> {
        var text = text
        return text.withUTF8 { bytes in
            SHA256.hash(data: bytes).withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
        }
    }

    /// Where a protocol has it and nothing rests on it: the opening of a WebSocket (RFC 6455, 4.2.2).
    public static func sha1(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(Insecure.SHA1.hash(data: Data(bytes))) }

    public static func hmac(key: SecretBytes, _ message: some Sequence<UInt8>) -> [UInt8] {
        key.expose { Array(HMAC<SHA256>.authenticationCode(for: Data(message), using: SymmetricKey(data: $0))) }
    }

    public static func hmac384(key: SecretBytes, _ message: some Sequence<UInt8>) -> [UInt8] {
        key.expose { Array(HMAC<SHA384>.authenticationCode(for: Data(message), using: SymmetricKey(data: $0))) }
    }

    /// Where a protocol has it: passwords for TURN (draft-uberti-behave-turn-rest-00, 2.2).
    public static func hmacSHA1(key: SecretBytes, _ message: some Sequence<UInt8>) -> [UInt8] {
        key.expose { Array(HMAC<Insecure.SHA1>.authenticationCode(for: Data(message), using: SymmetricKey(data: $0))) }
    }
}
