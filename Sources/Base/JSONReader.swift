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

    private var input: ArraySlice<UInt8>
    private var depth: Int

    public static func read(_ bytes: some Collection<UInt8>, depth: Int = 32) throws(Malformed) -> JSONValue {
        let input = Array(bytes)
        guard String(validating: input, as: UTF8.self) != nil else { throw .badEncoding }
        var reader = JSONReader(input: input[...], depth: depth)
        reader.skipBlanks()
        let value = try reader.value()
        reader.skipBlanks()
        guard reader.input.isEmpty else { throw reader.syntax }
        return value
    }

    private var syntax: Malformed { .syntax(offset: input.startIndex) }

    private mutating func skipBlanks() {
        while let byte = input.first, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            input.removeFirst()
        }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard input.first == byte.asciiValue else { return false }
        input.removeFirst()
        return true
    }

    private mutating func value() throws(Malformed) -> JSONValue {
        switch input.first {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        default: return try number()
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
        guard input.starts(with: word.utf8) else { throw syntax }
        input = input.dropFirst(word.utf8.count)
        return value
    }

    private mutating func object() throws(Malformed) -> JSONValue {
        try enter()
        defer { depth += 1 }
        var object = JSONObject()
        var seen: Set<String> = []
        skipBlanks()
        if take("}") { return .object(object) }
        repeat {
            skipBlanks()
            guard input.first == UInt8(ascii: "\"") else { throw syntax }
            let name = try string()
            guard seen.insert(name).inserted else { throw .duplicate(name) }
            skipBlanks()
            guard take(":") else { throw syntax }
            skipBlanks()
            object.append(name, try value())
            skipBlanks()
        } while take(",")
        guard take("}") else { throw syntax }
        return .object(object)
    }

    private mutating func array() throws(Malformed) -> JSONValue {
        try enter()
        defer { depth += 1 }
        var items: [JSONValue] = []
        skipBlanks()
        if take("]") { return .array(items) }
        repeat {
            skipBlanks()
            items.append(try value())
            skipBlanks()
        } while take(",")
        guard take("]") else { throw syntax }
        return .array(items)
    }

    private mutating func enter() throws(Malformed) {
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        input.removeFirst()
    }

    private mutating func string() throws(Malformed) -> String {
        input.removeFirst()
        var out: [UInt8] = []
        while let byte = input.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: out, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(into: &out)
            case 0..<0x20: throw syntax
            default: out.append(byte)
            }
        }
        throw syntax
    }

    private mutating func escape(into out: inout [UInt8]) throws(Malformed) {
        guard let letter = input.popFirst() else { throw syntax }
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
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else { throw .badEncoding }
        let second = try fourHexDigits()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .badEncoding }
        return scalar
    }

    private mutating func fourHexDigits() throws(Malformed) -> UInt32 {
        let digits = input.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw syntax }
        input = input.dropFirst(4)
        return value
    }

    private mutating func number() throws(Malformed) -> JSONValue {
        let text = input.prefix { "+-.0123456789eE".utf8.contains($0) }
        let word = String(decoding: text, as: UTF8.self)
        guard JSONReader.isNumber(word) else { throw syntax }
        input = input.dropFirst(text.count)
        if let integer = Int(word) { return .integer(integer) }
        guard let double = Double(word), double.isFinite else { throw syntax }
        return .number(double)
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
