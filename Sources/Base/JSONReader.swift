/// Reads JSON strictly (RFC 8259): UTF-8 only, no member twice, no NUL in a string, no lone surrogates,
/// nothing after the value, and no deeper than `depth`.
public struct JSONReader {
    public enum Malformed: Error, Equatable {
        case syntax(offset: Int)
        case duplicate(String)
        case nulByte
        case tooDeep
        case badEncoding
    }

    private let bytes: [UInt8]
    /// Of the first byte that is not read yet. By its place, and not as a slice that shrinks: tests read JSON all the
    /// time, in a build without optimisation.
    private var place = 0
    private var depth: Int

    public static func read(_ bytes: some Collection<UInt8>, depth: Int = 32) throws(Malformed) -> JSONValue {
        let input = Array(bytes)
        guard String(validating: input, as: UTF8.self) != nil else { throw .badEncoding }
        var reader = JSONReader(bytes: input, depth: depth)
        reader.skipBlanks()
        let value = try reader.value()
        reader.skipBlanks()
        guard reader.next == nil else { throw reader.syntax }
        return value
    }

    private init(bytes: [UInt8], depth: Int) { (self.bytes, self.depth) = (bytes, depth) }

    private static let quote = UInt8(ascii: "\""), backslash = UInt8(ascii: "\\"), comma = UInt8(ascii: ","),
        colon = UInt8(ascii: ":"), brace = UInt8(ascii: "{"), braceEnd = UInt8(ascii: "}"),
        bracket = UInt8(ascii: "["), bracketEnd = UInt8(ascii: "]")

    private var syntax: Malformed { .syntax(offset: place) }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipBlanks() {
        while place < bytes.count {
            let byte = bytes[place]
            guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return }
            place += 1
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func value() throws(Malformed) -> JSONValue {
        switch next {
        case JSONReader.brace: return try object()
        case JSONReader.bracket: return try array()
        case JSONReader.quote: return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
        guard bytes[place...].starts(with: word.utf8) else { throw syntax }
        place += word.utf8.count
        return value
    }

    private mutating func object() throws(Malformed) -> JSONValue {
        try enter()
        defer { depth += 1 }
        var object = JSONObject()
        var seen: Set<String> = []
        skipBlanks()
        if take(JSONReader.braceEnd) { return .object(object) }
        repeat {
            skipBlanks()
            guard next == JSONReader.quote else { throw syntax }
            let name = try string()
            guard seen.insert(name).inserted else { throw .duplicate(name) }
            skipBlanks()
            guard take(JSONReader.colon) else { throw syntax }
            skipBlanks()
            object.append(name, try value())
            skipBlanks()
        } while take(JSONReader.comma)
        guard take(JSONReader.braceEnd) else { throw syntax }
        return .object(object)
    }

    private mutating func array() throws(Malformed) -> JSONValue {
        try enter()
        defer { depth += 1 }
        var items: [JSONValue] = []
        skipBlanks()
        if take(JSONReader.bracketEnd) { return .array(items) }
        repeat {
            skipBlanks()
            items.append(try value())
            skipBlanks()
        } while take(JSONReader.comma)
        guard take(JSONReader.bracketEnd) else { throw syntax }
        return .array(items)
    }

    private mutating func enter() throws(Malformed) {
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        place += 1
    }

    private mutating func string() throws(Malformed) -> String {
        place += 1
        var out: [UInt8] = []
        while true {
            let run = place..<endOfRun()
            place = run.upperBound
            guard let byte = pop() else { throw syntax }
            switch byte {
            case JSONReader.quote:
                guard !out.isEmpty else { return String(decoding: bytes[run], as: UTF8.self) }
                return String(decoding: out + bytes[run], as: UTF8.self)
            case JSONReader.backslash:
                out += bytes[run]
                try escape(into: &out)
            default: throw syntax
            }
        }
    }

    /// Where the bytes that stand for themselves in a string end.
    private func endOfRun() -> Int {
        bytes.withUnsafeBytes { all in
            var end = place
            while end < all.count {
                let byte = all[end]
                if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
                end += 1
            }
            return end
        }
    }

    private mutating func pop() -> UInt8? {
        guard let byte = next else { return nil }
        place += 1
        return byte
    }

    private mutating func escape(into out: inout [UInt8]) throws(Malformed) {
        guard let letter = pop() else { throw syntax }
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(letter)
        case UInt8(ascii: "b"): out.append(0x08)
        case UInt8(ascii: "f"): out.append(0x0C)
        case UInt8(ascii: "n"): out.append(0x0A)
        case UInt8(ascii: "r"): out.append(0x0D)
        case UInt8(ascii: "t"): out.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try unicodeScalar()
            guard scalar != "\u{0}" else { throw .nulByte }
            out += Array(String(scalar).utf8)
        default: throw syntax
        }
    }

    private mutating func unicodeScalar() throws(Malformed) -> Unicode.Scalar {
        let first = try fourHexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take(JSONReader.backslash), take(UInt8(ascii: "u")) else {
            throw .badEncoding
        }
        let second = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .badEncoding }
        return scalar
    }

    private mutating func fourHexDigits() throws(Malformed) -> UInt32 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw syntax }
        place += 4
        return value
    }

    private mutating func number() throws(Malformed) -> JSONValue {
        var end = place
        while end < bytes.count, JSONReader.standsInNumbers(bytes[end]) { end += 1 }
        let word = String(decoding: bytes[place..<end], as: UTF8.self)
        guard JSONReader.isNumber(word) else { throw syntax }
        place = end
        if let integer = Int(word) { return .integer(integer) }
        guard let double = Double(word), double.isFinite else { throw syntax }
        return .number(double)
    }

    /// Digits, `+`, `-`, `.`, `e` and `E`.
    private static func standsInNumbers(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39 || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
    }

    /// RFC 8259, 6: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private static func isNumber(_ word: String) -> Bool {
        var rest = Array(word.utf8)[...]
        func digits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let leadsWithZero = rest.first == UInt8(ascii: "0"), whole = digits()
        guard whole == 1 || (whole > 1 && !leadsWithZero) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
