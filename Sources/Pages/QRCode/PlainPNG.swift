/// Pictures in one bit of grey (PNG, third edition; W3C 2025) without compression: zlib with stored blocks (RFC 1950;
/// RFC 1951, 3.2.4).
///
/// A QR code is some 8 KB this way and is sent once. A compressor would be one more library for that, so there is none.
enum PlainPNG {
    /// `rows` are packed bits, 1 for white, each of (width + 7) / 8 bytes.
    static func encode(width: Int, rows: [[UInt8]]) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // Depth 1, greyscale, and the only methods there are: deflate, adaptive filters, no interlace.
        let header: [UInt8] = bigEndian(width) + bigEndian(rows.count) + [1, 0, 0, 0, 0]
        // Each row begins with its filter: none.
        let pixels = rows.flatMap { (row: [UInt8]) -> [UInt8] in [0] + row }
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib(pixels)) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return bigEndian(data.count) + body + bigEndian(Int(crc(body)))
    }

    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        let longest = 65_535
        var out: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: data.count, by: longest) {
            let block = data[start..<min(start + longest, data.count)]
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            out += [block.endIndex == data.count ? 1 : 0, low, high, ~low, ~high]
            out += block
        }
        return out + bigEndian(Int(adler(data)))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// PNG, annex D.
    private static let table: [UInt32] = (0..<256).map { (byte: UInt32) -> UInt32 in
        (0..<8).reduce(byte) { (rest: UInt32, _: Int) -> UInt32 in rest & 1 == 1 ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1
        }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { rest, byte in table[Int((rest ^ UInt32(byte)) & 255)] ^ (rest >> 8) }
    }

    /// RFC 1950, 9.
    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}
