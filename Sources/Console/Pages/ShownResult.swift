import Administration
import Base
import Foundation
import Pages

/// What stands in one place of a table or beside one label.
struct ShownCell: Sendable {
    let label: String, text: String, href: String, exact: String, kind: String
    let isPlain: Bool, isEnglish: Bool, isLink: Bool, isTime: Bool, isBadge: Bool

    private enum Look { case plain, english, link(String), time(String), badge(String) }

    private init(_ label: String, _ text: String, _ look: Look = .plain) {
        (self.label, self.text) = (label, ShownText.tidy(text, limit: 400) ?? "–")
        var (href, exact, kind) = ("", "", ""), (isPlain, isLink, isTime, isBadge) = (false, false, false, false)
        var isEnglish = false
        switch look {
        case .plain: isPlain = true
        case .english: (isPlain, isEnglish) = (true, true)
        case .link(let address): (href, isLink) = (address, true)
        case .time(let moment): (exact, isTime) = (moment, true)
        case .badge(let colour): (kind, isBadge) = (colour, true)
        }
        (self.href, self.exact, self.kind) = (href, exact, kind)
        (self.isPlain, self.isLink, self.isTime, self.isBadge) = (isPlain, isLink, isTime, isBadge)
        self.isEnglish = isEnglish
    }

    /// A link in words of ours.
    static func link(_ label: String, _ text: String, _ href: String) -> ShownCell {
        ShownCell(label, text, .link(href))
    }

    /// `value` as people read it; `outer` is the member in which it stands, if not in the thing itself.
    init(_ name: String, of outer: String? = nil, _ value: JSONValue, _ reading: ConsoleReading) {
        let words = reading.words
        let label = (outer.map { words.member($0) + " · " } ?? "") + words.member(name)
        switch value {
        case .null: self.init(label, "–")
        case .bool(let flag): self.init(label, flag ? words.yes : words.no)
        case .integer(let number): self.init(label, String(number))
        case .array(let items):
            let texts = items.prefix(40).map { $0.string ?? $0.text }
            let rest = items.count > 40 ? " … (\(items.count))" : ""
            self.init(label, texts.isEmpty ? "–" : texts.joined(separator: ", ") + rest)
        case .string(let text):
            if let date = ShownCell.date(text) {
                self.init(label, reading.relative(date), .time(text))
            } else if let link = reading.link(name, text) {
                self.init(label, link.text, .link(link.href))
            } else if ["status", "state", "role"].contains(name) {
                self.init(label, words.value(text), .badge(ShownCell.colour(text)))
            } else if ["meaning", "text"].contains(name) {
                // What a setting is for, and what a check says, have one spelling, as a command's help has.
                self.init(label, text, .english)
            } else {
                self.init(label, text.isEmpty ? "–" : reading.names.name(name, text) ?? text)
            }
        default: self.init(label, value.text)
        }
    }

    /// What is wrong and what waits is seen by colour too; it always stands there in words.
    private static func colour(_ status: String) -> String {
        switch status {
        case "suspended", "refused", "revoked", "blocked", "removed", "failed", "dead", "gone", "invalid": "off"
        case "pending", "proposed", "proven", "next", "retiring", "waiting", "stale": "wait"
        default: ""
        }
    }

    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40, text.prefixMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d/#) != nil else { return nil }
        return Date(rfc3339: text)
    }

    static let template = """
        {{#isTime}}<time datetime="{{exact}}" title="{{exact}}">{{text}}</time>{{/isTime}}\
        {{#isBadge}}<span class="badge {{kind}}">{{text}}</span>{{/isBadge}}\
        {{#isLink}}<a href="{{href}}"><bdi>{{text}}</bdi></a>{{/isLink}}\
        {{#isPlain}}<bdi{{#isEnglish}} lang="en"{{/isEnglish}}>{{text}}</bdi>{{/isPlain}}
        """
}

/// Rows of a list; on a phone each is a card.
struct ShownTable: Sendable {
    struct Row: Sendable { let cells: [ShownCell], actions: [ShownCell], hasActions: Bool }

    let heads: [String], rows: [Row], hasActions: Bool, actionsHead: String, isEmpty: Bool, nothing: String

    init(heads: [String], rows: [(cells: [ShownCell], actions: [ShownCell])], _ words: SharedStrings<ConsoleStrings>) {
        hasActions = rows.contains { !$0.actions.isEmpty }
        self.heads = heads
        let hasActions = hasActions
        self.rows = rows.map { Row(cells: $0.cells, actions: $0.actions, hasActions: hasActions) }
        (actionsHead, isEmpty, nothing) = (words.actions, rows.isEmpty, words.nothing)
    }

    /// Roles are named, since a table that is laid out as cards is none to some screen readers.
    static let template = """
        {{#isEmpty}}<p class="empty">{{nothing}}</p>{{/isEmpty}}\
        {{^isEmpty}}<table class="table" role="table"><thead role="rowgroup"><tr role="row">\
        {{#heads}}<th role="columnheader" scope="col">{{.}}</th>{{/heads}}\
        {{#hasActions}}<th role="columnheader" scope="col">{{actionsHead}}</th>{{/hasActions}}</tr></thead>
        <tbody role="rowgroup">
        {{#rows}}<tr role="row">{{#cells}}<td role="cell" data-label="{{label}}">{{> cell}}</td>{{/cells}}\
        {{#hasActions}}<td role="cell">{{#actions}}{{> cell}} {{/actions}}</td>{{/hasActions}}</tr>
        {{/rows}}</tbody></table>{{/isEmpty}}
        """
}

/// Members of one thing: those that are values as facts, lists of objects as tables.
struct ShownObject: Sendable {
    struct Listed: Sendable { let title: String, table: ShownTable }

    let facts: [ShownCell], lists: [Listed], hasFacts: Bool

    /// Objects inside are told by their members, behind the name of theirs; of a list `most` rows.
    init(_ object: JSONObject, without left: Set<String> = [], most: Int = 100, _ reading: ConsoleReading) {
        var facts: [ShownCell] = [], lists: [Listed] = []
        func add(_ members: JSONObject, of outer: String? = nil, depth: Int) {
            for (name, value) in members where depth > 0 || !left.contains(name) {
                switch value {
                case .object(let inner) where depth < 2: add(inner, of: name, depth: depth + 1)
                case .array(let items) where items.contains { $0.object != nil }:
                    let objects = items.prefix(most).compactMap(\.object)
                    let columns = ShownObject.columns(objects)
                    let rows = objects.map { row in
                        (
                            cells: columns.map { ShownCell($0, row[$0] ?? .null, reading) },
                            actions: [ShownCell]()
                        )
                    }
                    let heads = columns.map { reading.words.member($0) }
                    lists.append(
                        Listed(
                            title: reading.words.member(name),
                            table: ShownTable(heads: heads, rows: rows, reading.words)))
                default: facts.append(ShownCell(name, of: outer, value, reading))
                }
            }
        }
        add(object, depth: 0)
        (self.facts, self.lists, hasFacts) = (facts, lists, !facts.isEmpty)
    }

    /// The first members that are values, of those that any row has.
    static func columns(_ rows: [JSONObject], most: Int = 6) -> [String] {
        var names: [String] = []
        for row in rows {
            for (name, value) in row where value.object == nil && !names.contains(name) { names.append(name) }
        }
        return Array(names.prefix(most))
    }

    static let template = """
        {{#hasFacts}}<dl class="facts wide">{{#facts}}<div><dt>{{label}}</dt><dd>{{> cell}}</dd></div>
        {{/facts}}</dl>{{/hasFacts}}
        {{#lists}}<section><h2>{{title}}</h2>
        {{#table}}{{> table}}{{/table}}</section>
        {{/lists}}
        """
}
