/// The last four bytes of a digest as decimal digits: offline signatures, fingerprints.
enum DecimalCode {
    static func of(_ digest: [UInt8], digits: Int) -> String {
        text(digest.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }, digits: digits)
    }

    /// Without the sign bit, modulo 10^digits, with leading zeros.
    static func text(_ number: UInt32, digits: Int) -> String {
        let significant = String(String(number & 0x7FFF_FFFF).suffix(digits))
        return String(repeating: "0", count: max(0, digits - significant.count)) + significant
    }
}
