import Foundation

/// An IPv4 or IPv6 address as bytes. Only the canonical spellings are read: what looks like a number in another way is
/// not an address.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16, in network order.
    public let bytes: [UInt8]

    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Dotted decimal without leading zeros, or RFC 4291 text without zone. `nil` otherwise.
    public init?(_ text: some StringProtocol) {
        if let four = IPAddress.dotted(text) {
            bytes = four
            return
        }
        guard text.contains(":"), text.utf8.allSatisfy({ $0 != 0 }) else { return nil }
        var six = in6_addr()
        guard inet_pton(AF_INET6, String(text), &six) == 1 else { return nil }
        bytes = withUnsafeBytes(of: six) { Array($0) }
    }

    private static func dotted(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var number = 0, digits = 0
        // A dot at the end closes the last number like the others.
        for letter in Array(text.utf8) + [UInt8(ascii: ".")] {
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits == 0 || number > 0:
                (number, digits) = (number * 10 + Int(letter - UInt8(ascii: "0")), digits + 1)
                guard number <= 255 else { return nil }
            case UInt8(ascii: ".") where digits > 0 && bytes.count < 4:
                bytes.append(UInt8(number))
                (number, digits) = (0, 0)
            default: return nil
            }
        }
        return bytes.count == 4 ? bytes : nil
    }

    public var isIPv6: Bool { bytes.count == 16 }

    /// The IPv4 address inside an IPv4-mapped one (RFC 4291, 2.5.5.2), else itself: for the kernel they are the same
    /// destination.
    public var unmapped: IPAddress {
        isIPv6 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            ? IPAddress(bytes: Array(bytes.suffix(4))) : self
    }

    /// What limits count an address by: an IPv4 address, or the /64 of an IPv6 one, which is one subscriber's (RFC
    /// 6177). What is no address stands for itself.
    public static func network(_ address: String) -> String {
        guard let read = IPAddress(address)?.unmapped else { return address }
        return read.isIPv6
            ? IPAddress(bytes: Array(read.bytes.prefix(8)) + [UInt8](repeating: 0, count: 8)).description
            : read.description
    }

    public var description: String {
        guard isIPv6 else { return bytes.map(String.init).joined(separator: ".") }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address.
public struct CIDR: Hashable, Sendable, CustomStringConvertible {
    public let address: IPAddress
    public let bits: Int

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        let width = address.bytes.count * 8
        guard parts.count == 1 || Int(parts[1]).map((0...width).contains) == true else { return nil }
        self.address = address
        bits = parts.count == 1 ? width : Int(parts[1]) ?? width
    }

    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let whole = bits / 8, rest = bits % 8
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
        return other.bytes[whole] & mask == address.bytes[whole] & mask
    }

    public var description: String { "\(address)/\(bits)" }

    /// Comma-separated ranges; `nil` when one cannot be read.
    public static func list(_ text: String) -> [CIDR]? {
        let ranges = text.split(separator: ",").map { CIDR($0.trimmingCharacters(in: .whitespaces)) }
        return ranges.contains(nil) ? nil : ranges.compactMap { $0 }
    }
}

extension [CIDR] {
    /// The address that `text` names, where it can be read and lies in none of these.
    public func unlisted(_ text: String?) -> IPAddress? {
        guard let address = text.flatMap({ IPAddress($0)?.unmapped }), !contains(where: { $0.contains(address) })
        else { return nil }
        return address
    }
}
