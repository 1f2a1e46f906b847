/// Base 16 (RFC 4648, 8): read in either case, written in lower case. Phones send secrets and sessions so.
public enum Hexadecimal {
    /// `nil` unless it is an even number of hexadecimal digits.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        guard let values = nibbles(text.utf8), values.count.isMultiple(of: 2) else { return nil }
        return joined(values)
    }

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The value of each digit, or `nil` when one is none.
    public static func nibbles(_ digits: some Sequence<UInt8>) -> [UInt8]? {
        var values: [UInt8] = []
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): values.append(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): values.append(digit - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): values.append(digit - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return values
    }

    /// Two to a byte; an odd last one counts as the high half.
    public static func joined(_ nibbles: [UInt8]) -> [UInt8] {
        stride(from: 0, to: nibbles.count, by: 2).map {
            nibbles[$0] << 4 | ($0 + 1 < nibbles.count ? nibbles[$0 + 1] : 0)
        }
    }
}
