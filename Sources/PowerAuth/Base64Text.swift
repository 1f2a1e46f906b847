import Base

/// Base64 with its padding (RFC 4648, 4), one spelling per value: no blanks, no missing padding, no set bits after the
/// last byte.
public enum Base64Text {
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let letters = Base64URL.encode(bytes).utf8.map(swapped)
        return String(decoding: letters, as: UTF8.self) + String(repeating: "=", count: (4 - letters.count % 4) % 4)
    }

    /// `nil` for every other spelling, the alphabet of URLs included.
    public static func decode(_ text: String) -> [UInt8]? {
        var letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        guard !letters.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
        return Base64URL.decode(String(decoding: letters.map(swapped), as: UTF8.self))
    }

    /// `nil` unless it is exactly so many bytes; the length is looked at first, so that a huge text costs nothing.
    public static func decode(_ text: String, count: Int) -> [UInt8]? {
        guard text.utf8.count == (count + 2) / 3 * 4, let bytes = decode(text), bytes.count == count else { return nil }
        return bytes
    }

    /// The two letters in which the alphabets differ, each for the other.
    private static func swapped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: letter
        }
    }
}
