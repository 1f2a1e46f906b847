import Foundation

/// The identifier of a node of the token tree; the `jti` of what is issued for it.
///
/// A version 8 UUID (RFC 9562, 5.8) whose first 34 bits tell where its row lives: two bits of life span, then the last
/// second of its row. So a look-up by identifier alone touches one partition, and rows that die together lie together.
public struct NodeID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UUID

    public init(rawValue: UUID) { self.rawValue = rawValue }

    /// How long a row lives decides how wide its partition is.
    public enum Span: UInt8, CaseIterable, Sendable {
        /// Up to two days; a partition a day.
        case days = 0
        /// Up to two months; a partition a week.
        case weeks = 1
        /// Longer; a partition a month of 30 days.
        case months = 2
        /// Has no end: virtual ancestors and generations. Never a row of `token`.
        case endless = 3

        public init(lifetime: TimeInterval) {
            self = lifetime <= 2 * 86_400 ? .days : lifetime <= 60 * 86_400 ? .weeks : .months
        }
    }

    /// A node whose row may be dropped after `keptUntil`.
    public init(issuedAt: Date, keptUntil: Date, randomness: Randomness) {
        let span = Span(lifetime: keptUntil.timeIntervalSince(issuedAt))
        self.init(
            span: span, seconds: UInt32(clamping: Int(keptUntil.timeIntervalSince1970.rounded(.up))),
            entropy: randomness.bytes(12))
    }

    /// A node without a row of its own: the generation of a virtual ancestor.
    public init(endless randomness: Randomness) {
        self.init(span: .endless, seconds: 0, entropy: randomness.bytes(12), wide: randomness.bytes(4))
    }

    /// The same text gives the same node: how a service stores the pseudonyms of foreign ancestors.
    public init(digestOf text: String) {
        let digest = Digest.sha256(text)
        self.init(span: .endless, seconds: 0, entropy: Array(digest[4..<16]), wide: Array(digest[0..<4]))
    }

    /// Stands for a one-time identifier: a digest behind the second after which it need not be remembered.
    /// Length before text, so that no two pairs share a spelling.
    public init(oneTime text: String, namespace: String, expires: Date) {
        let digest = Digest.sha256("\(namespace.utf8.count):\(namespace)\(text)")
        self.init(
            span: .days, seconds: UInt32(clamping: Int(expires.timeIntervalSince1970.rounded(.up))),
            entropy: Array(digest[0..<12]))
    }

    /// `nil` unless `text` is the canonical lower-case form.
    public init?(_ text: some StringProtocol) {
        var halves: (UInt64, UInt64) = (0, 0), place = 0
        for letter in text.utf8 {
            let digit: UInt8
            switch letter {
            case UInt8(ascii: "-") where NodeID.isHyphen(place):
                place += 1
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = letter - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = letter - UInt8(ascii: "a") + 10
            default: return nil
            }
            guard place < 36, !NodeID.isHyphen(place) else { return nil }
            if place < 18 { halves.0 = halves.0 << 4 | UInt64(digit) } else { halves.1 = halves.1 << 4 | UInt64(digit) }
            place += 1
        }
        guard place == 36 else { return nil }
        self.init(halves)
    }

    /// Places of the text (RFC 9562, 4).
    private static func isHyphen(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

    private init(_ halves: (UInt64, UInt64)) {
        let (a, b) = halves
        func byte(_ half: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * place)) }
        rawValue = UUID(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6), byte(a, 7),
                byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5), byte(b, 6), byte(b, 7)
            ))
    }

    /// The first eight bytes and the last, most significant first.
    private var halves: (UInt64, UInt64) {
        withUnsafeBytes(of: rawValue.uuid) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    private init(span: Span, seconds: UInt32, entropy: [UInt8], wide: [UInt8]? = nil) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        // 2 bits of span and 32 of time come first; 48 bits end where the version stands.
        let time = wide.map { number($0[0..<4]) } ?? UInt64(seconds)
        let first = UInt64(span.rawValue) << 62 | time << 30 | number(entropy[0..<3]) << 6
        self.init(
            (
                first & 0xFFFF_FFFF_FFFF_0F00 | 0x8000 | UInt64(entropy[11]),
                number(entropy[3..<11]) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
            ))
    }

    public var span: Span { Span(rawValue: rawValue.uuid.0 >> 6) ?? .endless }

    /// The second after which its row may be gone; `nil` for endless nodes.
    public var keptUntil: Date? {
        guard span != .endless else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(halves.0 >> 30 & 0xFFFF_FFFF))
    }

    public var description: String {
        let halves = halves
        return String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for digit in 0..<32 {
                if NodeID.isHyphen(place) {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = digit < 16 ? halves.0 : halves.1
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit & 15))) & 15
                text[place] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
                place += 1
            }
            return place
        }
    }

    /// A number for advisory locks, spread by the random part.
    public var lockNumber: Int64 {
        let (first, last) = halves
        return Int64(bitPattern: last ^ first << 56 ^ (first >> 16 & 255) << 48)
    }
}
