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
}
