import Base
import Crypto

/// CTR_DATA: each signature is made with the next one, which only its predecessor tells (protocols/operations.md, 4.1
/// and 4.8; protocols/powerauth4.md). Its length tells of which protocol it is.
public struct HashCounter: Equatable, Sendable {
    /// 16 in protocol 3, 32 in protocol 4.
    public let bytes: [UInt8]

    /// `keyMalformed` unless they are 16 or 32.
    public init(_ bytes: [UInt8]) throws(PowerAuthRefusal) {
        guard bytes.count == 16 || bytes.count == 32 else { throw .keyMalformed }
        self.bytes = bytes
    }

    private init(_ version: PowerAuthVersion, from input: [UInt8]) {
        bytes =
            version.isProtocol4 ? Array(SHA3_256.hash(data: input)) : KeyDerivation.fold(Digest.sha256(input))
    }

    /// For a new registration.
    public static func fresh(_ randomness: Randomness, _ version: PowerAuthVersion = .v33) -> HashCounter {
        HashCounter(version, from: randomness.bytes(32))
    }

    public func next() -> HashCounter { HashCounter(isProtocol4 ? .v40 : .v33, from: bytes) }

    public var isProtocol4: Bool { bytes.count == 32 }

    /// What a status of protocol 4 tells of it, 32 bytes; `key` is `ActivationSecret.counterMAC`.
    public func mac(_ key: SecretBytes) throws(PowerAuthRefusal) -> [UInt8] {
        try KMAC256.mac(key: key, bytes, .counter)
    }
}
