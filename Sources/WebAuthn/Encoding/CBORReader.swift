/// Reads CBOR strictly (RFC 8949, 4.2.1 but for the order of keys, which some wallets leave to chance): shortest forms,
/// definite lengths, no key twice, UTF-8 text, no deeper than `depth`. What it refuses is refused before anything is
/// allocated for it.
public struct CBORReader {
    public enum Malformed: Error, Equatable {
        case truncated, leftover, notShortest, indefinite, unsupported, tooLarge, tooDeep, duplicateKey, badEncoding
    }

    private var rest: ArraySlice<UInt8>
    private var depth: Int

    /// The one value that the bytes are.
    public static func read(_ bytes: [UInt8], depth: Int = 8) throws(Malformed) -> CBOR {
        let (value, rest) = try readFirst(bytes[...], depth: depth)
        guard rest.isEmpty else { throw .leftover }
        return value
    }

    /// The value at the beginning, and what follows it.
    public static func readFirst(
        _ bytes: ArraySlice<UInt8>, depth: Int = 8
    ) throws(Malformed) -> (value: CBOR, rest: ArraySlice<UInt8>) {
        var reader = CBORReader(rest: bytes, depth: depth)
        let value = try reader.value()
        return (value, reader.rest)
    }

    private mutating func value() throws(Malformed) -> CBOR {
        let (major, argument) = try head()
        switch major {
        case 0: return .integer(try integer(argument))
        case 1: return .integer(-1 - (try integer(argument)))
        case 2: return .bytes(Array(try take(argument)))
        case 3:
            guard let text = String(validating: try take(argument), as: UTF8.self) else { throw .badEncoding }
            return .text(text)
        case 4: return .array(try array(argument))
        case 5: return .map(try map(argument))
        case 7: return try simple(argument)
        default: throw .unsupported
        }
    }

    private static let least: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]

    private mutating func head() throws(Malformed) -> (major: UInt8, argument: UInt64) {
        guard let first = rest.popFirst() else { throw .truncated }
        let short = first & 0x1F
        switch short {
        case 0..<24: return (first >> 5, UInt64(short))
        case 24...27:
            // Of floats the width is the kind, and none is read.
            guard first >> 5 != 7 else { throw .unsupported }
            var argument: UInt64 = 0
            for _ in 0..<(1 << Int(short - 24)) {
                guard let byte = rest.popFirst() else { throw .truncated }
                argument = argument << 8 | UInt64(byte)
            }
            guard argument >= Self.least[Int(short - 24)] else { throw .notShortest }
            return (first >> 5, argument)
        default: throw .indefinite
        }
    }

    private func integer(_ argument: UInt64) throws(Malformed) -> Int {
        guard let number = Int(exactly: argument) else { throw .tooLarge }
        return number
    }

    private mutating func take(_ length: UInt64) throws(Malformed) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: length), count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func array(_ length: UInt64) throws(Malformed) -> [CBOR] {
        try enter(length, bytesEach: 1)
        defer { depth += 1 }
        var items: [CBOR] = []
        for _ in 0..<length { items.append(try value()) }
        return items
    }

    private mutating func map(_ length: UInt64) throws(Malformed) -> [CBOR.Key: CBOR] {
        try enter(length, bytesEach: 2)
        defer { depth += 1 }
        var members: [CBOR.Key: CBOR] = [:]
        for _ in 0..<length {
            let key: CBOR.Key
            switch try value() {
            case .integer(let number): key = .integer(number)
            case .text(let text): key = .text(text)
            default: throw .unsupported
            }
            guard members.updateValue(try value(), forKey: key) == nil else { throw .duplicateKey }
        }
        return members
    }

    private mutating func enter(_ length: UInt64, bytesEach: UInt64) throws(Malformed) {
        guard length <= UInt64(rest.count) / bytesEach else { throw .truncated }
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
    }

    private func simple(_ argument: UInt64) throws(Malformed) -> CBOR {
        switch argument {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        default: throw .unsupported
        }
    }
}
