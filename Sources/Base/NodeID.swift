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
        guard text.utf8.count == 36, let uuid = UUID(uuidString: String(text)), uuid.uuidString.lowercased() == text
        else { return nil }
        rawValue = uuid
    }

    private init(span: Span, seconds: UInt32, entropy: [UInt8], wide: [UInt8]? = nil) {
        let time =
            wide ?? [
                UInt8(seconds >> 24 & 255), UInt8(seconds >> 16 & 255), UInt8(seconds >> 8 & 255), UInt8(seconds & 255),
            ]
        // 2 bits of span and 32 of time, shifted so that they come first; 48 bits end where the version stands.
        let first =
            UInt64(span.rawValue) << 62 | UInt64(time[0]) << 54 | UInt64(time[1]) << 46 | UInt64(time[2]) << 38
            | UInt64(time[3]) << 30
        let rest = UInt64(entropy[0]) << 22 | UInt64(entropy[1]) << 14 | UInt64(entropy[2]) << 6
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: (first | rest) >> UInt64(56 - 8 * $0)) }
        bytes += entropy[3..<11]
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[7] = entropy[11]
        bytes[8] = bytes[8] & 0x3F | 0x80
        rawValue = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    public var span: Span { Span(rawValue: rawValue.uuid.0 >> 6) ?? .endless }

    /// The second after which its row may be gone; `nil` for endless nodes.
    public var keptUntil: Date? {
        guard span != .endless else { return nil }
        let u = rawValue.uuid
        let first = UInt64(u.0) << 32 | UInt64(u.1) << 24 | UInt64(u.2) << 16 | UInt64(u.3) << 8 | UInt64(u.4)
        return Date(timeIntervalSince1970: TimeInterval(first >> 6 & 0xFFFF_FFFF))
    }

    public var description: String { rawValue.uuidString.lowercased() }

    /// A number for advisory locks, spread by the random part.
    public var lockNumber: Int64 {
        let u = rawValue.uuid
        let low: [UInt8] = [u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15]
        return Int64(bitPattern: low.reduce(0) { $0 << 8 | UInt64($1) } ^ UInt64(u.7) << 56 ^ UInt64(u.5) << 48)
    }
}
