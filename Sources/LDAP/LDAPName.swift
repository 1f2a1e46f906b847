/// What somebody typed, where a directory reads syntax.
public enum LDAPName {
    /// In a filter (RFC 4515, 3): whatever could mean something there is written as its bytes.
    public static func inFilter(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte >= 0x20 && byte < 0x7f && !"*()\\".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : escaped(byte)
        }.joined()
    }

    /// In a distinguished name (RFC 4514, 2.4).
    public static func inDN(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return bytes.enumerated().map { index, byte in
            let isPlain = byte > 0x20 && byte < 0x7f && !"\"+,;<>\\=#".utf8.contains(byte)
            let isBlankInside = byte == 0x20 && index > 0 && index < bytes.count - 1
            return isPlain || isBlankInside ? String(UnicodeScalar(byte)) : escaped(byte)
        }.joined()
    }

    private static func escaped(_ byte: UInt8) -> String {
        let digits = Array("0123456789abcdef")
        return "\\\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}
