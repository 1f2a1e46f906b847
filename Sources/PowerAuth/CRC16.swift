/// CRC-16/ARC: polynomial 8005 reflected, beginning with zero.
enum CRC16 {
    static func of(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
        }
    }
}
