import Base
import Foundation

/// A result as it is written on stdout.
struct ResultText {
    let format: OutputFormat
    /// Asked for; `nil` where the command and the terminal choose.
    let columns: [String]?
    /// A member, with `-` before it for the other way round.
    let sort: String?
    let preferred: [String]
    let terminal: Terminal
    let now: Date

    init(
        _ format: OutputFormat, columns: [String]? = nil, sort: String? = nil, preferred: [String] = [],
        terminal: Terminal = .none, now: Date = Date()
    ) {
        (self.format, self.columns, self.sort, self.preferred) = (format, columns, sort, preferred)
        (self.terminal, self.now) = (terminal, now)
    }

    func text(_ result: AdminResult) throws -> String {
        switch result {
        case .object(let object): try text(object)
        case .list(let items, let next): try text(sorted(items), next)
        }
    }

    private func text(_ object: JSONObject) throws -> String {
        let shown = try columns.map { try only($0, of: .object(object), names: object.names).object ?? [:] } ?? object
        switch format {
        case .json: return JSONValue.object(shown).text
        case .yaml: return YAMLText.text(.object(shown))
        case .name: return ResultText.name(object)
        case .table, .wide: return shown["children"] != nil ? TreeDrawing(root: shown).text : facts(shown)
        }
    }

    private func text(_ items: [JSONValue], _ next: String?) throws -> String {
        var shown = items
        if let columns, !items.isEmpty {
            let names = ResultText.names(of: items)
            shown = try items.map { try only(columns, of: $0, names: names) }
        }
        let list: JSONValue = ["items": .array(shown), "next": JSONValue(next)]
        switch format {
        case .json: return list.text
        case .yaml: return YAMLText.text(list)
        case .name: return items.compactMap(\.object).map(ResultText.name).joined(separator: "\n")
        case .table, .wide: return table(shown, next)
        }
    }

    // MARK: For programs

    /// What commands take as its name: the member of these that it has.
    private static func name(_ object: JSONObject) -> String {
        let known = ["username", "id", "node", "kid", "client_id", "jti", "service", "address", "wallet", "name"]
        let value =
            known.lazy.compactMap { object[$0].flatMap { $0.string ?? $0.integer.map { String($0) } } }.first
            ?? object.members.first?.value.string
        return PlainText.harmless(value ?? object.members.first?.value.text ?? "")
    }

    private static func names(of items: [JSONValue]) -> [String] {
        var seen: Set<String> = []
        return items.flatMap { $0.object?.names ?? [] }.filter { seen.insert($0).inserted }
    }

    private func only(_ columns: [String], of item: JSONValue, names: [String]) throws -> JSONValue {
        try .object(
            JSONObject(
                columns.map { column in
                    guard names.contains(column) else { throw ResultText.unknown(column, "--columns", names) }
                    return (column, item[column] ?? .null)
                }))
    }

    private static func unknown(_ name: String, _ option: String, _ names: [String]) -> AdminFailure {
        let meant = NearestName.meant(by: name, among: names).map { "did you mean \($0)? " } ?? ""
        return AdminFailure(
            .usage, "\(option): nothing here is called \(name)",
            hint: meant + "there are " + names.joined(separator: ", "))
    }

    /// By numbers where both are, by their letters otherwise; what has none comes last, either way round.
    private func sorted(_ items: [JSONValue]) throws -> [JSONValue] {
        guard let sort, !items.isEmpty else { return items }
        let isBackwards = sort.hasPrefix("-"), member = isBackwards ? String(sort.dropFirst()) : sort
        let names = ResultText.names(of: items)
        guard names.contains(member) else { throw ResultText.unknown(member, "--sort", names) }
        let has = items.filter { ($0[member] ?? .null) != .null },
            lacks = items.filter { ($0[member] ?? .null) == .null }
        let ordered = has.sorted { one, other in
            let (one, other) = (one[member] ?? .null, other[member] ?? .null)
            return isBackwards ? ResultText.precedes(other, one) : ResultText.precedes(one, other)
        }
        return ordered + lacks
    }

    private static func precedes(_ one: JSONValue, _ other: JSONValue) -> Bool {
        func number(_ value: JSONValue) -> Double? {
            switch value {
            case .integer(let number): Double(number)
            case .number(let number): number
            case .bool(let flag): flag ? 1 : 0
            default: nil
            }
        }
        if let one = number(one), let other = number(other) { return one < other }
        return (one.string ?? one.text) < (other.string ?? other.text)
    }

    // MARK: For people

    /// One member a line; nested values indented.
    private func facts(_ object: JSONObject, indent: String = "") -> String {
        let width = (object.members.map(\.name.count).max() ?? 0) + 2
        return object.members.map { name, value in
            let label = indent + name + String(repeating: " ", count: width - name.count)
            switch value {
            case .array(let items) where items.contains { $0.object != nil }:
                return indent + name + "\n" + items.map { indent + "  " + line($0) }.joined(separator: "\n")
            case .object(let inner): return indent + name + "\n" + facts(inner, indent: indent + "  ")
            default: return label + fact(value, name)
            }
        }.joined(separator: "\n")
    }

    /// On a terminal a moment is told both ways: when exactly, and how long ago.
    private func fact(_ value: JSONValue, _ name: String) -> String {
        let text = short(value)
        guard terminal.width != nil, format == .table else { return text }
        if let since = RelativeTime.text(of: text, now: now) { return "\(text) (\(since))" }
        return painted(text, text, name)
    }

    /// An object inside another, on one line.
    private func line(_ value: JSONValue) -> String {
        guard let object = value.object else { return short(value) }
        return object.members.filter { $0.value != .null }.map { short($0.value) }.joined(separator: "  ")
    }

    private func table(_ items: [JSONValue], _ next: String?) -> String {
        let isFitted = format == .table && terminal.width != nil
        let choice = ColumnChoice(preferred: preferred, terminal: isFitted ? terminal : .none)
        var names = columns ?? choice.names(items)
        guard !items.isEmpty, !names.isEmpty else { return "none" }
        var rows = items.map { item in names.map { cell(item[$0] ?? .null, isFitted) } }
        var limits = choice.limits(Table(names, rows).widths)
        // What somebody asked for is shown, whether there is room or not.
        if columns != nil { limits = Table(names, rows).widths }
        let kept = names.indices.filter { limits[$0] > 0 }
        names = kept.map { names[$0] }
        rows = rows.map { row in kept.map { row[$0] } }
        let text = Table(names, rows).text(limits: kept.map { limits[$0] }) { cell, word, column in
            painted(cell, word, names[column])
        }
        return text + (next.map { "\n… more: --after \($0)" } ?? "")
    }

    private func cell(_ value: JSONValue, _ isFitted: Bool) -> String {
        let text = short(value)
        return isFitted ? RelativeTime.text(of: text, now: now) ?? text : text
    }

    private func painted(_ text: String, _ word: String, _ name: String) -> String {
        guard terminal.hasColours, StatusColour.members.contains(name), let colour = StatusColour(word) else {
            return text
        }
        return colour.paint(text)
    }

    private func short(_ value: JSONValue) -> String {
        switch value {
        case .null: "–"
        case .string(let text): PlainText.harmless(text)
        case .array(let items): items.map(short).joined(separator: " ")
        case .bool(let flag): flag ? "yes" : "no"
        default: value.text
        }
    }
}
