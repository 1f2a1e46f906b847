import Base
import Yams

/// YAML as JSON, for documents that are RSD2 in YAML: the same members, as `JSONDialects` reads them.
///
/// What repeats another part of itself (an anchor and its alias) is refused before anything is parsed: a few lines of
/// that kind grow without end. So is what could be nested deeply, since the parser descends by calling itself, and what
/// could have too many parts, each of which takes much more room than its text. No tag makes anything be built.
enum YAMLTree {
    /// Brackets that are open at a place, whatever they mean there; and bytes at the start of a line that may begin a
    /// level each. More of either than any document has that may be read.
    private static let mostOpen = 64, mostIndented = 256
    /// Lines, commas and brackets: about as many as there are values.
    private static let mostPieces = 2 * ReadingLimits.nodes

    /// - Parameter text: UTF-8 without BOM or NUL.
    static func read(_ text: [UInt8]) throws(CrawlFailure) -> JSONValue {
        guard !repeats(text) else { throw ReadingLimits.exceeded("YAML with aliases") }
        try measure(text)
        let root: Node?
        do {
            // The encoding is named, since the parser would look for it in the environment.
            root = try Parser(yaml: String(decoding: text, as: UTF8.self), resolver: .basic, encoding: .utf8)
                .singleRoot()
        } catch {
            throw CrawlFailure(.malformed, "not YAML\(place(of: error))")
        }
        guard let root else { throw CrawlFailure(.notRSD, "YAML without content") }
        return try json(root, depth: ReadingLimits.depth)
    }

    /// Whether some `*name` has its `&name`. Words in quotation marks count too: no document of a service needs both.
    private static func repeats(_ text: [UInt8]) -> Bool {
        var anchors: Set<ArraySlice<UInt8>> = [], aliases: Set<ArraySlice<UInt8>> = []
        for index in text.indices where text[index] == UInt8(ascii: "&") || text[index] == UInt8(ascii: "*") {
            let name = text[(index + 1)...].prefix(while: isNamed)
            guard !name.isEmpty else { continue }
            if text[index] == UInt8(ascii: "&") { anchors.insert(name) } else { aliases.insert(name) }
        }
        return !anchors.isDisjoint(with: aliases)
    }

    private static func measure(_ text: [UInt8]) throws(CrawlFailure) {
        var open = 0, indented = 0, begins = true, pieces = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): (open, pieces) = (open + 1, pieces + 1)
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open = max(0, open - 1)
            case UInt8(ascii: ","): pieces += 1
            default: break
            }
            switch byte {
            case 0x0A, 0x0D: (indented, begins, pieces) = (0, true, pieces + 1)
            case 0x20, 0x09, UInt8(ascii: "-"), UInt8(ascii: "?"), UInt8(ascii: ":"): indented += begins ? 1 : 0
            default: begins = false
            }
            guard open <= mostOpen, indented <= mostIndented else {
                throw ReadingLimits.exceeded("nested deeper than \(ReadingLimits.depth)")
            }
            guard pieces <= mostPieces else { throw ReadingLimits.exceeded("more than \(ReadingLimits.nodes) values") }
        }
    }

    /// As the parser has the names of anchors.
    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }

    private static func json(_ node: Node, depth: Int) throws(CrawlFailure) -> JSONValue {
        guard depth > 0 else { throw ReadingLimits.exceeded("nested deeper than \(ReadingLimits.depth)") }
        switch node {
        case .scalar(let scalar): return value(scalar)
        case .sequence(let items):
            var values: [JSONValue] = []
            for item in items { values.append(try json(item, depth: depth - 1)) }
            return .array(values)
        case .mapping(let pairs):
            var members: [(String, JSONValue)] = [], names: Set<String> = []
            for (key, value) in pairs {
                guard case .scalar(let name) = key else {
                    throw CrawlFailure(.malformed, "a name that is no text\(line(key.mark))")
                }
                guard names.insert(name.string).inserted else {
                    throw CrawlFailure(.malformed, "the member \(name.string.prefix(40)) twice")
                }
                members.append((name.string, try json(value, depth: depth - 1)))
            }
            return .object(JSONObject(members))
        case .alias: throw ReadingLimits.exceeded("YAML with aliases")
        }
    }

    /// By the core schema of YAML 1.2, but for fractions, which stay text: a version 1.10 is none that is 1.1.
    private static func value(_ scalar: Node.Scalar) -> JSONValue {
        guard scalar.style == .plain else { return .string(scalar.string) }
        switch scalar.string {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case let text: return isWhole(text) ? Int(text).map(JSONValue.integer) ?? .string(text) : .string(text)
        }
    }

    private static func isWhole(_ text: String) -> Bool {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        return !digits.isEmpty && digits.count <= 18 && digits.allSatisfy { (0x30...0x39).contains($0) }
            && (digits.count == 1 || digits.first != 0x30)
    }

    private static func place(of error: any Error) -> String {
        switch error as? YamlError {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): line(mark)
        case .duplicatedKeysInMapping(let names, _): ": the member \(names.first?.prefix(40) ?? "") twice"
        default: ""
        }
    }

    private static func line(_ mark: Mark?) -> String { mark.map { " at line \($0.line)" } ?? "" }
}
