import Crypto
import Foundation

/// Signature algorithms (RFC 9053, 2; RFC 8812, 2) by their numbers in COSE. Each goes with one kind of key and one
/// curve (WebAuthn, 5.8.5).
public enum COSEAlgorithm: Int, Sendable, Hashable, CaseIterable {
    case es256 = -7
    case edDSA = -8
    case es384 = -35
    case es512 = -36
    case rs256 = -257
    /// RSA with SHA-1: of TPMs' statements alone, never of a credential.
    case rs1 = -65535

    /// What a relying party asks for that has no reason to ask otherwise, the favourite first.
    public static let usual: [COSEAlgorithm] = [.edDSA, .es256, .rs256]

    /// `nil` for EdDSA, which hashes inside.
    var hash: HashAlgorithm? {
        switch self {
        case .es256, .rs256: .sha256
        case .es384: .sha384
        case .es512: .sha512
        case .rs1: .sha1
        case .edDSA: nil
        }
    }
}

/// Hashes that TPMs name; the numbers are of TPM 2.0, part 2, 6.3.
enum HashAlgorithm: UInt16 {
    case sha1 = 0x0004
    case sha256 = 0x000B
    case sha384 = 0x000C
    case sha512 = 0x000D

    func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }
}
