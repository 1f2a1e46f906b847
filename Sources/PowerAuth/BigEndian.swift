/// Integers as bytes, most significant first.
enum BigEndian {
    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Each part behind its length in four bytes: no two lists of parts give the same bytes.
    static func sized(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { bytes(UInt32(truncatingIfNeeded: $0.count)) + $0 }
    }
}
