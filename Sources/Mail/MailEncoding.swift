/// How text becomes ASCII lines: in a header by encoded words (RFC 2047), in a body by quoted-printable (RFC 2045,
/// 6.7). Neither lets a line end come through from what it encodes.
enum MailEncoding {
    /// The unstructured value of a header. Text that is no plain ASCII stands in encoded words of at most 75 letters,
    /// each on a line of its own, none of which breaks a character.
    static func header(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } && !text.contains("=?") && text.utf8.count <= 60
        guard !isPlain else { return text }
        var words: [[UInt8]] = [], word: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if word.count + bytes.count > 45 {
                words.append(word)
                word = []
            }
            word += bytes
        }
        if !word.isEmpty { words.append(word) }
        return words.map { "=?utf-8?B?\(base64($0))?=" }.joined(separator: "\r\n ")
    }

    /// A name before an address: quoted where it is ASCII.
    static func phrase(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } && name.utf8.count <= 60 && !name.contains("=?")
        guard isPlain else { return header(name) }
        return "\"" + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Lines of at most 76 letters that end with CRLF. Line ends of the text are kept as such.
    static func quotedPrintable(_ text: String) -> String {
        var lines = text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line($0) + "\r\n" }.joined()
    }

    private static func line(_ text: Substring) -> String {
        var encoded = "", width = 0
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let piece = piece(byte, isLast: index == bytes.count - 1)
            // One place is left for the mark of a line that goes on.
            if width + piece.utf8.count > 75 {
                encoded += "=\r\n"
                width = 0
            }
            encoded += piece
            width += piece.utf8.count
        }
        return encoded
    }

    private static func piece(_ byte: UInt8, isLast: Bool) -> String {
        let isBlank = byte == 0x20 || byte == 0x09
        if isBlank, !isLast { return String(UnicodeScalar(byte)) }
        if byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "=") { return String(UnicodeScalar(byte)) }
        let digits = Array("0123456789ABCDEF")
        return "=\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = 0
            for offset in 0..<3 { bits = bits << 8 | (offset < group.count ? Int(group[start + offset]) : 0) }
            for place in 0..<4 {
                text += place <= group.count ? String(letters[bits >> (18 - 6 * place) & 63]) : "="
            }
        }
        return text
    }
}
