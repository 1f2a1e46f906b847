import Base

/// Which resources, or which values of an attribute, are meant (RFC 7644, 3.4.2.2).
indirect enum SCIMFilter: Sendable, Equatable {
    enum Comparison: String, Sendable { case eq, ne, co, sw, ew, gt, ge, lt, le }

    case present(SCIMPath)
    case compare(SCIMPath, Comparison, JSONValue)
    /// Of a value of the attribute all of it holds.
    case value(SCIMPath, SCIMFilter)
    case not(SCIMFilter)
    case and(SCIMFilter, SCIMFilter)
    case or(SCIMFilter, SCIMFilter)

    static let longest = 8_192

    /// Throws `SCIMRefusal` of type `invalidFilter`.
    init(_ text: String) throws {
        var parser = try SCIMFilterParser(text)
        self = try parser.whole()
    }
}

/// `or` binds weakest, then `and`, then `not`.
struct SCIMFilterParser {
    private enum Token: Equatable {
        case word(String), string(String), open, close, openValue, closeValue
    }

    private static let deepest = 24, mostTerms = 200
    private var tokens: ArraySlice<Token>
    private var depth = 0, terms = 0

    init(_ text: String) throws {
        guard text.utf8.count <= SCIMFilter.longest else { throw SCIMFilterParser.refused("the filter is too long") }
        tokens = try SCIMFilterParser.tokens(Array(text.utf8))[...]
    }

    mutating func whole() throws -> SCIMFilter {
        let filter = try disjunction()
        guard tokens.isEmpty else { throw SCIMFilterParser.refused("there is more behind the end of the filter") }
        return filter
    }

    private mutating func disjunction() throws -> SCIMFilter {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SCIMFilterParser.deepest else { throw SCIMFilterParser.refused("the filter is too deep") }
        var left = try conjunction()
        while take(word: "or") { left = .or(left, try conjunction()) }
        return left
    }

    private mutating func conjunction() throws -> SCIMFilter {
        var left = try term()
        while take(word: "and") { left = .and(left, try term()) }
        return left
    }

    private mutating func term() throws -> SCIMFilter {
        terms += 1
        guard terms <= SCIMFilterParser.mostTerms else {
            throw SCIMFilterParser.refused("the filter has too many terms")
        }
        if tokens.first == .open { return try enclosed() }
        guard case .word(let word)? = tokens.popFirst() else {
            throw SCIMFilterParser.refused("an attribute is missing in the filter")
        }
        if word.lowercased() == "not", tokens.first == .open { return .not(try enclosed()) }
        guard let path = SCIMPath(word) else { throw SCIMFilterParser.refused("\(word.prefix(80)) is no attribute") }
        if tokens.first == .openValue {
            tokens.removeFirst()
            let inner = try disjunction()
            guard tokens.popFirst() == .closeValue else {
                throw SCIMFilterParser.refused("a ] is missing in the filter")
            }
            return .value(path, inner)
        }
        return try comparison(of: path)
    }

    private mutating func enclosed() throws -> SCIMFilter {
        tokens.removeFirst()
        let inner = try disjunction()
        guard tokens.popFirst() == .close else { throw SCIMFilterParser.refused("a ) is missing in the filter") }
        return inner
    }

    private mutating func comparison(of path: SCIMPath) throws -> SCIMFilter {
        guard case .word(let word)? = tokens.popFirst() else {
            throw SCIMFilterParser.refused("an operator is missing behind \(path.attribute)")
        }
        if word.lowercased() == "pr" { return .present(path) }
        guard let operation = SCIMFilter.Comparison(rawValue: word.lowercased()) else {
            throw SCIMFilterParser.refused("\(word.prefix(20)) is no operator")
        }
        switch tokens.popFirst() {
        case .string(let text): return .compare(path, operation, .string(text))
        case .word(let word):
            guard let value = try? JSONReader.read(word.utf8), value.object == nil, value.array == nil else {
                throw SCIMFilterParser.refused("\(word.prefix(80)) is no value: texts stand in double quotes")
            }
            return .compare(path, operation, value)
        default: throw SCIMFilterParser.refused("a value is missing behind \(word)")
        }
    }

    private mutating func take(word: String) -> Bool {
        guard case .word(let found)? = tokens.first, found.lowercased() == word else { return false }
        tokens.removeFirst()
        return true
    }

    static func refused(_ detail: String) -> SCIMRefusal { SCIMRefusal(.invalidFilter, detail) }

    // MARK: Words

    private static func tokens(_ text: [UInt8]) throws -> [Token] {
        var tokens: [Token] = [], place = 0
        while place < text.count {
            switch text[place] {
            case UInt8(ascii: " "): place += 1
            case UInt8(ascii: "("):
                tokens.append(.open)
                place += 1
            case UInt8(ascii: ")"):
                tokens.append(.close)
                place += 1
            case UInt8(ascii: "["):
                tokens.append(.openValue)
                place += 1
            case UInt8(ascii: "]"):
                tokens.append(.closeValue)
                place += 1
            case UInt8(ascii: "\""):
                let end = try endOfString(text, from: place)
                guard let value = try? JSONReader.read(text[place..<end]).string else {
                    throw refused("a text in the filter is not as JSON has it")
                }
                tokens.append(.string(value))
                place = end
            default:
                let word = text[place...].prefix { !" ()[]\"".utf8.contains($0) }
                tokens.append(.word(String(decoding: word, as: UTF8.self)))
                place += word.count
            }
        }
        return tokens
    }

    private static func endOfString(_ text: [UInt8], from start: Int) throws -> Int {
        var place = start + 1
        while place < text.count, text[place] != UInt8(ascii: "\"") {
            place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < text.count else { throw refused("a text in the filter has no end") }
        return place + 1
    }
}
