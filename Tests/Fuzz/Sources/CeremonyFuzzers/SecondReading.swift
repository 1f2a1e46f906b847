/// RFC 8949, appendix C, with what WebAuthn's structures have and no more: integers, bytes, text, arrays, maps,
/// booleans and null; definite lengths in their shortest form, numbers that fit into 64 bits with sign, no name twice,
/// at most `depth` levels. It makes no values: it says whether there is one.
struct SecondReading {
    private enum Name: Hashable {
        case number(UInt64, isNegative: Bool)
        /// Swift takes an accent and its letter for the letter with the accent, and so does the reader: two such names
        /// are one twice.
        case text(String)
    }

    private let bytes: [UInt8]
    private let depth: Int
    private var place = 0

    init(_ bytes: [UInt8], depth: Int) { (self.bytes, self.depth) = (bytes, depth) }

    var isAtEnd: Bool { place == bytes.count }

    mutating func isItem() -> Bool { item(depth: depth) }

    private mutating func item(depth: Int) -> Bool {
        guard let (major, argument) = head() else { return false }
        switch major {
        case 0, 1: return argument <= UInt64(Int64.max)
        case 2: return skip(argument) != nil
        case 3: return skip(argument).map { String(validating: bytes[$0], as: UTF8.self) != nil } ?? false
        case 4:
            guard depth > 0, argument <= UInt64(bytes.count) else { return false }
            for _ in 0..<argument { guard item(depth: depth - 1) else { return false } }
            return true
        case 5:
            guard depth > 0, argument <= UInt64(bytes.count) else { return false }
            var names: Set<Name> = []
            for _ in 0..<argument {
                guard let name = member(), names.insert(name).inserted, item(depth: depth - 1) else { return false }
            }
            return true
        default: return major == 7 && (20...22).contains(argument) && bytes[place - 1] & 0x1F == UInt8(argument)
        }
    }

    private mutating func member() -> Name? {
        guard let (major, argument) = head() else { return nil }
        switch major {
        case 0, 1: return argument <= UInt64(Int64.max) ? .number(argument, isNegative: major == 1) : nil
        case 3: return skip(argument).flatMap { String(validating: bytes[$0], as: UTF8.self) }.map { .text($0) }
        default: return nil
        }
    }

    private mutating func head() -> (major: UInt8, argument: UInt64)? {
        guard place < bytes.count else { return nil }
        let first = bytes[place], low = first & 0x1F
        place += 1
        guard low >= 24 else { return (first >> 5, UInt64(low)) }
        guard low < 28, let width = skip(1 << UInt64(low - 24)) else { return nil }
        let argument = bytes[width].reduce(UInt64(0)) { $0 * 256 + UInt64($1) }
        let isShortest =
            switch low {
            case 24: argument > 23
            case 25: argument > 0xFF
            case 26: argument > 0xFFFF
            default: argument > 0xFFFF_FFFF
            }
        return isShortest ? (first >> 5, argument) : nil
    }

    private mutating func skip(_ count: UInt64) -> Range<Int>? {
        guard count <= UInt64(bytes.count - place) else { return nil }
        defer { place += Int(count) }
        return place..<(place + Int(count))
    }
}
