import Base

/// An Algorand account's address: 58 letters of base32 (RFC 4648, 6) without padding, for an Ed25519 key and the last
/// four bytes of its SHA-512/256. One spelling for each key: bits behind the last byte are zero (decisions.md, liquid
/// 12).
public struct AlgorandAddress: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    let key: [UInt8]

    public var description: String { text }

    init(_ text: String) throws(WalletRefusal) {
        guard text.utf8.count == 58, let bytes = Base32.decode(text), bytes.count == 36 else { throw .addressMalformed }
        let key = Array(bytes[..<32])
        guard Array(bytes[32...]) == AlgorandAddress.checksum(key) else { throw .addressChecksum }
        guard !AlgorandAddress.isSmall(key) else { throw .addressUnsound }
        (self.text, self.key) = (text, key)
    }

    /// The address of a key.
    public static func text(of key: [UInt8]) -> String { Base32.encode(key + checksum(key)) }

    private static func checksum(_ key: [UInt8]) -> [UInt8] { Array(SHA512Truncated.hash(key).suffix(4)) }

    // MARK: Keys that are none

    /// Points of small order, and field elements that are spelt as such a one plus the modulus: signatures under them
    /// hold without a private key.
    static func isSmall(_ key: [UInt8]) -> Bool {
        var y = key
        y[31] &= 0x7F
        return smallOrder.contains(y)
    }

    private static let smallOrder: Set<[UInt8]> = {
        func filled(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
            [first] + [UInt8](repeating: middle, count: 30) + [last]
        }
        let eighth: [UInt8] = [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]
        let other: [UInt8] = [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]
        return [
            filled(0, 0, 0), filled(1, 0, 0), eighth, other, filled(0xEC, 0xFF, 0x7F), filled(0xED, 0xFF, 0x7F),
            filled(0xEE, 0xFF, 0x7F),
        ]
    }()
}
