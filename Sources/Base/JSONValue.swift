/// A JSON value (RFC 8259). Objects keep the order of their members, as some clients read them by eye.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public var string: String? { if case .string(let text) = self { text } else { nil } }
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    public var array: [JSONValue]? { if case .array(let items) = self { items } else { nil } }
    public var object: JSONObject? { if case .object(let members) = self { members } else { nil } }

    /// Every item a string, or `nil`.
    public var strings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }

    public subscript(name: String) -> JSONValue? { object?[name] }
}

/// Members in order; a name stands once.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral, Sequence {
    public private(set) var members: [(name: String, value: JSONValue)] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Of two with one name the later value counts, at the earlier place.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        var places: [String: Int] = [:]
        for (name, value) in pairs {
            if let place = places.updateValue(members.count, forKey: name) {
                places[name] = place
                members[place].value = value
            } else {
                members.append((name, value))
            }
        }
    }

    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name, value))
            case (nil, nil): break
            }
        }
    }

    public var names: [String] { members.map(\.name) }

    /// The members for which `isIncluded` holds; their names stay unique, so nothing is looked up.
    public func filtered(_ isIncluded: (String) -> Bool) -> JSONObject {
        var object = JSONObject()
        object.members = members.filter { isIncluded($0.name) }
        return object
    }

    public var isEmpty: Bool { members.isEmpty }
    public func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> { members.makeIterator() }

    mutating func append(_ name: String, _ value: JSONValue) { members.append((name, value)) }
}

extension JSONObject: Equatable {
    /// Order is for readers; it does not make two objects different.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        let values = Dictionary(right.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return left.members.allSatisfy { values[$0.name] == $0.value }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
    public init(nilLiteral: ()) { self = .null }

    public init(strings: some Sequence<String>) { self = .array(strings.map(JSONValue.string)) }
    public init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
}

extension JSONValue {
    /// Compact text in UTF-8.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(to: &out, indent: nil)
        return out
    }

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Indented by two blanks, for people.
    public var prettyText: String {
        var out: [UInt8] = []
        write(to: &out, indent: 0)
        return String(decoding: out, as: UTF8.self)
    }

    private func write(to out: inout [UInt8], indent: Int?) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let flag): out += (flag ? "true" : "false").utf8
        case .integer(let number): out += String(number).utf8
        case .number(let number): out += (number.isFinite ? "\(number)" : "null").utf8
        case .string(let text): JSONValue.quote(text, to: &out)
        case .array(let items):
            JSONValue.enclose("[", "]", items, to: &out, indent: indent) { item, out, indent in
                item.write(to: &out, indent: indent)
            }
        case .object(let object):
            JSONValue.enclose("{", "}", object.members, to: &out, indent: indent) { member, out, indent in
                JSONValue.quote(member.name, to: &out)
                out.append(UInt8(ascii: ":"))
                if indent != nil { out.append(UInt8(ascii: " ")) }
                member.value.write(to: &out, indent: indent)
            }
        }
    }

    private static func enclose<Item>(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ items: [Item], to out: inout [UInt8], indent: Int?,
        each: (Item, inout [UInt8], Int?) -> Void
    ) {
        out.append(UInt8(ascii: open))
        for (index, item) in items.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            if let indent { out += ("\n" + String(repeating: "  ", count: indent + 1)).utf8 }
            each(item, &out, indent.map { $0 + 1 })
        }
        if let indent, !items.isEmpty { out += ("\n" + String(repeating: "  ", count: indent)).utf8 }
        out.append(UInt8(ascii: close))
    }

    /// What stands for itself is copied in runs.
    private static func quote(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0, index = 0
            while index < utf8.count {
                if JSONValue.standsForItself(utf8[index]) {
                    index += 1
                    continue
                }
                guard let (escape, length) = JSONValue.escape(utf8, at: index) else {
                    index += 1
                    continue
                }
                out += utf8[start..<index]
                out += escape.utf8
                index += length
                start = index
            }
            out += utf8[start...]
        }
        out.append(UInt8(ascii: "\""))
    }

    /// Nearly all bytes do; of the others some do too (`escape`).
    private static func standsForItself(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "<")
            && byte != 0x7F && byte != 0xE2
    }

    /// What stands in place of so many bytes; `nil` for one that stands for itself.
    private static func escape(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> (text: String, length: Int)? {
        switch utf8[index] {
        case UInt8(ascii: "\""): return ("\\\"", 1)
        case UInt8(ascii: "\\"): return ("\\\\", 1)
        case UInt8(ascii: "\n"): return ("\\n", 1)
        case UInt8(ascii: "\r"): return ("\\r", 1)
        case UInt8(ascii: "\t"): return ("\\t", 1)
        // `<` and the line separators, so that JSON may stand inside a page or a script.
        case let byte where byte < 0x20 || byte == UInt8(ascii: "<") || byte == 0x7F:
            let hex = String(byte, radix: 16)
            return ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex, 1)
        case 0xE2 where index + 2 < utf8.count && utf8[index + 1] == 0x80 && utf8[index + 2] | 1 == 0xA9:
            return (utf8[index + 2] == 0xA8 ? "\\u2028" : "\\u2029", 3)
        default: return nil
        }
    }
}
