import Administration
import Base
import Hummingbird
import Pages

/// One thing: its members, what can be done with it by this person, and what belongs to it.
struct ThingPage: Sendable {
    struct Part: Sendable {
        let title: String, table: ShownTable?, object: ShownObject?, all: String?
        let actions: [ShownCell], hasActions: Bool

        init(
            _ title: String, table: ShownTable? = nil, object: ShownObject? = nil, all: String? = nil,
            actions: [ShownCell] = []
        ) {
            (self.title, self.table, self.object, self.all) = (title, table, object, all)
            (self.actions, hasActions) = (actions, !actions.isEmpty)
        }
    }

    let words: SharedStrings<ConsoleStrings>
    let title: String, kind: String, list: String?, done: String?
    let object: ShownObject, actions: [ShownCell], hasActions: Bool, parts: [Part], tree: String?, treeTitle: String

    /// Of a list on the page of another thing, so many rows.
    private static let partSize = 10

    static func answer(_ entry: AdminEntry, _ request: ConsoleRequest) async throws -> Response {
        var named = JSONObject()
        for argument in entry.arguments {
            if let text = try request.browser.parameters[argument.name] { named[argument.name] = .string(text) }
        }
        guard entry.needed.allSatisfy({ named[$0.name] != nil }) else {
            return try await ListPage.answer(entry, request)
        }
        guard case .object(let thing) = try await request.context.catalog.run(entry, named, in: request.admin) else {
            return try await ListPage.answer(entry, request)
        }
        let shown = try await ThingPage(entry, thing, request)
        let page = ConsolePage(request, title: shown.title, active: CatalogPages.active(entry.words))
        return page.answer("thing", shown)
    }

    private init(_ entry: AdminEntry, _ thing: JSONObject, _ request: ConsoleRequest) async throws {
        let noun = entry.noun, known = ConsoleNoun.of(noun)
        words = request.words
        kind = request.words.noun(noun.joined(separator: " "))
        let reading = try await ConsoleReading(request, of: [.object(thing)])
        let label = (known?.labels ?? ["name", "id"]).lazy.compactMap { thing[$0]?.string }.first { !$0.isEmpty }
        title = ShownText.tidy(label ?? kind) ?? kind
        list = request.context.catalog.entry(noun + ["list"]).flatMap { $0.needed.isEmpty ? $0 : nil }
            .map { CatalogPages.path($0.words) }
        done =
            switch try request.browser.parameters["done"] {
            case nil: nil
            case "already": request.words.doneAlready
            default: request.words.done
            }
        object = ShownObject(thing, reading)
        actions = try await ThingPage.actions(noun, thing, request)
        hasActions = !actions.isEmpty
        var parts: [Part] = []
        for part in known?.parts ?? [] {
            if let shown = try await ThingPage.part(part, thing, request) { parts.append(shown) }
        }
        self.parts = parts
        let node = known?.node.flatMap { node in thing[node.member]?.string.map { "\(node.argument):\($0)" } }
        let shown = try await TreeLinks.shown([node].compactMap(\.self), request)
        tree = node.flatMap { shown.contains($0) ? "/admin/tree?" + FormCodec.write([("node", $0)]) : nil }
        treeTitle = request.words.noun("tree")
    }

    /// What one command tells of the thing; `nil` where it takes no such argument, where the person may not, and where
    /// there is nothing.
    private static func part(
        _ part: ConsoleNoun.Part, _ thing: JSONObject, _ request: ConsoleRequest
    ) async throws -> Part? {
        guard let entry = request.context.catalog.entry(part.words) else { return nil }
        var asked: [(String, String)] = []
        for name in part.names {
            guard entry.arguments.contains(where: { $0.name == name.argument }), let value = thing[name.member]?.string
            else { return nil }
            asked.append((name.argument, value))
        }
        var arguments = FormField.arguments(asked, of: entry)
        if entry.arguments.contains(where: { $0.name == "limit" }) { arguments["limit"] = .integer(partSize) }
        let title = request.words.title(part.words)
        do {
            switch try await request.context.catalog.run(entry, arguments, in: request.admin) {
            case .list(let items, let next):
                let actions = try await ListPage.actions(entry, asked, within: true, request)
                guard !items.isEmpty || !actions.isEmpty else { return nil }
                let reading = try await ConsoleReading(request, of: items)
                let table = try await ListPage.table(entry, items.compactMap(\.object), request, reading)
                let all = next == nil ? nil : CatalogPages.address(part.words, asked)
                return Part(title, table: table, all: all, actions: actions)
            case .object(let members):
                let reading = try await ConsoleReading(request, of: [.object(members)])
                return Part(title, object: ShownObject(members, reading))
            }
        } catch let failure as AdminFailure where failure.code != .unavailable {
            return nil
        }
    }

    /// Where it is shown.
    static func address(_ show: AdminEntry, _ row: JSONObject) -> String? {
        var named: [(String, String)] = []
        for argument in show.needed {
            guard let value = value(argument.name, of: row, show.noun) else { return nil }
            named.append((argument.name, value))
        }
        return CatalogPages.address(show.words, named)
    }

    /// What an argument of a command is for the thing that a row tells of.
    static func value(_ argument: String, of row: JSONObject, _ noun: [String]) -> String? {
        let member = ConsoleNoun.of(noun)?.names.first { $0.argument == argument }?.member
        let value = member.flatMap { row[$0]?.string } ?? (member == nil ? row[argument]?.string : nil)
        return value.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Changes of this kind of thing that this person may make, each at the page that asks for the rest.
    static func actions(
        _ noun: [String], _ thing: JSONObject, _ request: ConsoleRequest
    ) async throws -> [ShownCell] {
        var actions: [ShownCell] = []
        for entry in request.context.catalog.entries
        where entry.noun == noun && entry.isChange && entry.isOfThing && CatalogPages.has(entry) {
            var named: [(String, String)] = []
            for argument in entry.arguments where argument.kind == .positional || argument.name == "institution" {
                if argument.name == "institution", entry.verb != "withdraw" { continue }
                if let value = value(argument.name, of: thing, noun) { named.append((argument.name, value)) }
            }
            if entry.verb == "withdraw", let service = value("service", of: thing, noun) {
                named.append(("service", service))
            }
            guard !named.isEmpty, !isPointless(entry.verb, thing),
                try await request.permits(entry.words, FormField.arguments(named, of: entry))
            else { continue }
            actions.append(.link("", request.words.verb(entry.words), CatalogPages.address(entry.words, named)))
        }
        return actions
    }

    /// What is so already is not offered; the command would say so.
    private static func isPointless(_ verb: String, _ thing: JSONObject) -> Bool {
        let status = thing["status"]?.string
        return switch verb {
        case "approve", "resume": status == "active"
        case "suspend": status == "suspended"
        default: false
        }
    }

    static let template = """
        {{#list}}<p class="crumbs"><a href="{{.}}">{{kind}}</a></p>{{/list}}
        <h1><bdi>{{title}}</bdi></h1>
        {{#done}}<p class="note good" role="status">{{.}}</p>{{/done}}
        {{#hasActions}}<p class="actions">{{#actions}}<a class="button second" href="{{href}}">{{text}}</a>\
        {{/actions}}</p>{{/hasActions}}
        {{#object}}{{> object}}{{/object}}
        {{#tree}}<p class="more"><a href="{{.}}">{{treeTitle}}</a></p>{{/tree}}
        {{#parts}}<section><h2>{{title}}</h2>
        {{#hasActions}}<p class="actions">{{#actions}}<a class="button second" href="{{href}}">{{text}}</a>\
        {{/actions}}</p>{{/hasActions}}
        {{#.table}}{{> table}}{{/.table}}{{#.object}}{{> object}}{{/.object}}
        {{#.all}}<p class="more"><a href="{{.}}">{{words.more}}</a></p>{{/.all}}</section>
        {{/parts}}
        """
}
