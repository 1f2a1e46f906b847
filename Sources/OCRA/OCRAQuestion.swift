import Base

extension OCRASuite.Question {
    /// The input `Q` (RFC 6287, 5.1): 128 bytes, the challenges first and zeros behind them.
    ///
    /// A number is written in base 16 without leading zeros, and stands, like a hexadecimal challenge, to the left
    /// digit by digit: an odd number of digits ends in the middle of a byte (the reference implementation of appendix
    /// A).
    func field(_ challenge: String, _ counterpart: String?) throws(OCRAError) -> [UInt8] {
        let challenges = [challenge] + (counterpart.map { [$0] } ?? [])
        guard challenges.allSatisfy({ (1...length).contains($0.utf8.count) }) else { throw .question }
        let letters = challenges.flatMap { Array($0.utf8) }
        let nibbles: [UInt8]
        switch format {
        case .alphanumeric:
            guard letters.allSatisfy(Self.isAlphanumeric) else { throw .question }
            nibbles = letters.flatMap { [$0 >> 4, $0 & 15] }
        case .numeric:
            guard letters.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { throw .question }
            nibbles = Self.base16(letters.map { $0 - UInt8(ascii: "0") })
        case .hexadecimal:
            guard let values = Hexadecimal.nibbles(letters) else { throw .question }
            nibbles = values
        }
        return Hexadecimal.joined(nibbles + [UInt8](repeating: 0, count: 256 - nibbles.count))
    }

    private static func isAlphanumeric(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }

    /// Up to 128 decimal digits, which no integer type holds.
    private static func base16(_ decimals: [UInt8]) -> [UInt8] {
        var places: [Int] = []
        for decimal in decimals {
            var carry = Int(decimal)
            for place in places.indices {
                let value = places[place] * 10 + carry
                places[place] = value & 15
                carry = value >> 4
            }
            if carry > 0 { places.append(carry) }
        }
        return places.reversed().map { UInt8($0) }
    }
}
