/// Text of others on its way to a terminal.
public enum PlainText {
    /// Control characters, C1 and bidirectional overrides become `\u{FFFD}`: a device name must not steer the
    /// operator's terminal.
    public static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// Columns of a terminal (Unicode 11, East Asian Width): wide letters and pictures take two.
    static func width(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            guard let scalar = character.unicodeScalars.first?.value, scalar >= 0x1100 else { return sum + 1 }
            switch scalar {
            case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
                0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
                return sum + 2
            default: return sum + 1
            }
        }
    }

    /// No wider than `limit`; what is left out is `…`.
    static func fitted(_ text: String, to limit: Int) -> String {
        guard width(text) > limit else { return text }
        var kept = "", used = 1
        for character in text {
            used += width(String(character))
            guard used <= limit else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
