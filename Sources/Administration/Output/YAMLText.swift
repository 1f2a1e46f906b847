import Base

/// A JSON value as YAML 1.2 in block style. A text that could be read as anything else stands in double quotes, as JSON
/// has it (YAML 1.2, 1.2: JSON is a part of it).
enum YAMLText {
    static func text(_ value: JSONValue) -> String { lines(value).joined(separator: "\n") }

    private static func lines(_ value: JSONValue) -> [String] {
        switch value {
        case .object(let object) where !object.members.isEmpty:
            object.members.flatMap { name, value in
                isNested(value)
                    ? ["\(scalar(.string(name))):"] + lines(value).map { "  " + $0 }
                    : ["\(scalar(.string(name))): \(scalar(value))"]
            }
        case .array(let items) where !items.isEmpty:
            items.flatMap { item in
                lines(item).enumerated().map { ($0 == 0 ? "- " : "  ") + $1 }
            }
        default: [scalar(value)]
        }
    }

    private static func isNested(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object): !object.members.isEmpty
        case .array(let items): !items.isEmpty
        default: false
        }
    }

    private static func scalar(_ value: JSONValue) -> String {
        guard case .string(let text) = value, isPlain(text) else { return value.text }
        return text
    }

    /// Letters first, and nothing that means something in YAML; words that are values in any version of it are none.
    private static func isPlain(_ text: String) -> Bool {
        text.wholeMatch(of: #/[A-Za-z_][A-Za-z0-9_.\/@+\-]*/#) != nil
            && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    }
}
