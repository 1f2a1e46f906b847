/// Text that a client wants people to see: its name, whom to write to.
public enum DisplayText {
    /// Counted in Unicode scalars, so that no heap of combining marks passes for one character.
    public static func isFit(_ text: String, longest: Int) -> Bool {
        let scalars = text.unicodeScalars
        return scalars.count <= longest && scalars.contains { !$0.properties.isWhitespace }
            && scalars.allSatisfy(isHarmless)
    }

    /// No controls, no line ends, and none of the marks that make text read in another order than it is written (Trojan
    /// Source, CVE-2021-42574).
    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        default: return !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
        }
    }
}
