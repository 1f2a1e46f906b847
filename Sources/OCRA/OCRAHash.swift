import Base
import Crypto
import Foundation

/// The hashes of RFC 6287, 6.2 and 6.3: of the HMAC, and of a PIN.
public enum OCRAHash: String, Sendable, CaseIterable {
    case sha1 = "SHA1", sha256 = "SHA256", sha512 = "SHA512"

    public var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// Of a PIN it is the input `P`.
    public func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let data = Data(bytes)
        return switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: data))
        case .sha256: Array(SHA256.hash(data: data))
        case .sha512: Array(SHA512.hash(data: data))
        }
    }

    func hmac(key: SecretBytes, _ message: [UInt8]) -> [UInt8] {
        let data = Data(message)
        return key.expose { bytes -> [UInt8] in
            let key = SymmetricKey(data: bytes)
            return switch self {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: data, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: data, using: key))
            }
        }
    }
}
