import Testing

/// Reads a PNG of one bit of grey with stored blocks (PNG, third edition; RFC 1950; RFC 1951, 3.2.4) and checks each
/// checksum on the way.
struct PNGReader {
    let width: Int, height: Int
    /// `true` for black.
    let pixels: [[Bool]]

    init(_ bytes: [UInt8]) throws {
        var rest = bytes[...], parts: [(name: String, data: [UInt8])] = []
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        try #require(rest.starts(with: signature))
        rest = rest.dropFirst(8)
        while !rest.isEmpty {
            let length = Self.number(rest.prefix(4))
            try #require(rest.count >= length + 12)
            let body = rest.dropFirst(4).prefix(length + 4)
            try #require(Self.number(rest.dropFirst(8 + length).prefix(4)) == Self.crc(body))
            parts.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
            rest = rest.dropFirst(length + 12)
        }
        try #require(parts.map(\.name) == ["IHDR", "IDAT", "IEND"])
        let header = parts[0].data
        try #require(header.count == 13 && Array(header[8...]) == [1, 0, 0, 0, 0] && parts[2].data.isEmpty)
        let columns = Self.number(header[0..<4]), count = Self.number(header[4..<8]),
            raw = try Self.inflate(parts[1].data), length = (columns + 7) / 8 + 1
        try #require(raw.count == length * count)
        var rows: [[Bool]] = []
        for y in 0..<count {
            let row = Array(raw[y * length..<(y + 1) * length])
            try #require(row.first == 0)
            rows.append((0..<columns).map { x in (row[1 + x / 8] >> UInt8(7 - x % 8)) & 1 == 0 })
        }
        (width, height, pixels) = (columns, count, rows)
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func inflate(_ data: [UInt8]) throws -> [UInt8] {
        var out: [UInt8] = [], at = 2, isLast = false
        try #require(data.count > 11 && data[0] == 0x78 && number(data[0..<2]) % 31 == 0)
        while !isLast {
            try #require(at + 5 <= data.count)
            let length = Int(data[at + 1]) | Int(data[at + 2]) << 8
            let complement = Int(data[at + 3]) | Int(data[at + 4]) << 8
            try #require(data[at] <= 1 && complement == 65_535 - length)
            try #require(at + 5 + length <= data.count)
            isLast = data[at] == 1
            out += data[at + 5..<at + 5 + length]
            at += 5 + length
        }
        let low = out.reduce(1) { ($0 + Int($1)) % 65_521 }
        var (sum, high) = (1, 0)
        for byte in out {
            sum += Int(byte)
            high = (high + sum) % 65_521
        }
        let checksum = [high >> 8, high & 255, low >> 8, low & 255].map { UInt8($0) }
        try #require(Array(data[at...]) == checksum)
        return out
    }

    /// Bit by bit, as annex D defines it.
    private static func crc(_ bytes: some Sequence<UInt8>) -> Int {
        var rest: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            for bit in 0..<8 {
                let isOdd = (rest ^ UInt32(byte >> UInt8(bit))) & 1 == 1
                rest = isOdd ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1
            }
        }
        return Int(~rest)
    }
}
