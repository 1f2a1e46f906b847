import Foundation

/// base64url without padding (RFC 4648, 5; RFC 7515, 2), one spelling per value.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 255, count: 256)
        for (value, letter) in alphabet.enumerated() { table[Int(letter)] = UInt8(value) }
        return table
    }()

    public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { out in
            var buffer: UInt32 = 0
            var bits = 0, count = 0
            for byte in bytes {
                buffer = buffer << 8 | UInt32(byte)
                bits += 8
                while bits >= 6 {
                    bits -= 6
                    out[count] = alphabet[Int(buffer >> UInt32(bits) & 63)]
                    count += 1
                }
            }
            if bits > 0 {
                out[count] = alphabet[Int(buffer << UInt32(6 - bits) & 63)]
                count += 1
            }
            return count
        }
    }

    /// `nil` for padding, foreign letters, impossible lengths and set bits after the last byte:
    /// two spellings of one value would be two tokens.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        if let bytes = text.utf8.withContiguousStorageIfAvailable(decode(letters:)) { return bytes }
        return Array(text.utf8).withUnsafeBufferPointer(decode(letters:))
    }

    private static func decode(letters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard letters.count % 4 != 1 else { return nil }
        let values = Base64URL.values
        var out: [UInt8] = []
        out.reserveCapacity(letters.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for letter in letters {
            let value = values[Int(letter)]
            guard value != 255 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return out
    }
}
