/// A picture that phones show for an identifier: PNG or JPEG, at most 250 pixels wide and high (protocols/tiqr.md,
/// 1.5). Its size is read from its head; it is not decoded.
public struct IdentifierLogo: Sendable, Equatable {
    static let longestSide = 250, mostBytes = 131_072

    public let bytes: [UInt8]
    public let type: String

    public init(_ bytes: [UInt8]) throws(TiqrRefusal) {
        guard bytes.count <= IdentifierLogo.mostBytes else {
            throw .invalidRequest("the logo has more than 128 KiB")
        }
        let size: (width: Int, height: Int)
        if let found = IdentifierLogo.png(bytes) {
            (size, type) = (found, "image/png")
        } else if let found = IdentifierLogo.jpeg(bytes) {
            (size, type) = (found, "image/jpeg")
        } else {
            throw .invalidRequest("the logo is neither PNG nor JPEG: phones show no other picture")
        }
        let allowed = 1...IdentifierLogo.longestSide
        guard allowed.contains(size.width), allowed.contains(size.height) else {
            throw .invalidRequest("the logo is larger than 250 by 250 pixels")
        }
        self.bytes = bytes
    }

    /// From the database, where it was checked.
    init(stored bytes: [UInt8], type: String) { (self.bytes, self.type) = (bytes, type) }

    /// Signature and IHDR (PNG, third edition, 5.2 and 11.2.1).
    private static func png(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        guard bytes.count >= 33, bytes.starts(with: head) else { return nil }
        return (number(bytes[16..<20]), number(bytes[20..<24]))
    }

    /// The first frame header among the segments (ITU-T T.81, B.1.1 and B.2.2).
    private static func jpeg(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var place = 2
        while place + 9 < bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            if marker == 0xFF {
                place += 1
                continue
            }
            guard marker != 0xD9, marker != 0xDA else { return nil }
            // Frames, but for the tables of Huffman and arithmetic codes between them.
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return (number(bytes[(place + 7)..<(place + 9)]), number(bytes[(place + 5)..<(place + 7)]))
            }
            place += 2 + max(2, number(bytes[(place + 2)..<(place + 4)]))
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
