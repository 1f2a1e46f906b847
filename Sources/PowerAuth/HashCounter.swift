import Base

/// CTR_DATA: each signature is made with the next one, which only its predecessor tells (protocols/operations.md, 4.1
/// and 4.8).
public struct HashCounter: Equatable, Sendable {
    /// 16 of them.
    public let bytes: [UInt8]

    /// `keyMalformed` unless they are 16.
    public init(_ bytes: [UInt8]) throws(PowerAuthRefusal) {
        guard bytes.count == 16 else { throw .keyMalformed }
        self.bytes = bytes
    }

    private init(folded digest: [UInt8]) { bytes = KeyDerivation.fold(digest) }

    /// For a new registration.
    public static func fresh(_ randomness: Randomness) -> HashCounter {
        HashCounter(folded: Digest.sha256(randomness.bytes(32)))
    }

    public func next() -> HashCounter { HashCounter(folded: Digest.sha256(bytes)) }
}
