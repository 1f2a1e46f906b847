import Base
import Foundation

/// Results on stdout: JSON for scripts, aligned columns for people.
public enum AdminOutput {
    public static func write(_ result: AdminResult, json: Bool) {
        let text =
            switch result {
            case .object(let object) where object["children"] != nil && !json: TreeDrawing(root: object).text
            case .object(let object): json ? JSONValue.object(object).text : facts(object)
            case .list(let items, let next): json ? list(items, next).text : table(items, next)
            }
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// JSON Lines: one value a line.
    public static func writeLines(_ values: [JSONValue]) {
        guard !values.isEmpty else { return }
        FileHandle.standardOutput.write(Data(values.map { $0.text + "\n" }.joined().utf8))
    }

    private static func list(_ items: [JSONValue], _ next: String?) -> JSONValue {
        ["items": .array(items), "next": JSONValue(next)]
    }

    /// One member a line; nested values indented.
    private static func facts(_ object: JSONObject, indent: String = "") -> String {
        let width = (object.members.map(\.name.count).max() ?? 0) + 2
        return object.members.map { name, value in
            let label = indent + name + String(repeating: " ", count: width - name.count)
            switch value {
            case .array(let items) where items.contains { $0.object != nil }:
                return indent + name + "\n" + items.map { indent + "  " + line($0) }.joined(separator: "\n")
            case .object(let inner): return indent + name + "\n" + facts(inner, indent: indent + "  ")
            default: return label + short(value)
            }
        }.joined(separator: "\n")
    }

    /// An object inside another, on one line.
    private static func line(_ value: JSONValue) -> String {
        guard let object = value.object else { return short(value) }
        return object.members.filter { $0.value != .null }.map { short($0.value) }.joined(separator: "  ")
    }

    private static func table(_ items: [JSONValue], _ next: String?) -> String {
        guard let first = items.first?.object else { return "none" }
        let names = first.members.filter { $0.value.object == nil }.map(\.name)
        let rows = items.map { item in names.map { short(item[$0] ?? .null) } }
        return Table(names, rows).text + (next.map { "\n… more: --after \($0)" } ?? "")
    }

    private static func short(_ value: JSONValue) -> String {
        switch value {
        case .null: "–"
        case .string(let text): PlainText.harmless(text)
        case .array(let items): items.map(short).joined(separator: " ")
        case .bool(let flag): flag ? "yes" : "no"
        default: value.text
        }
    }
}
