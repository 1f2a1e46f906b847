import Administration
import Base
import Hummingbird
import Pages

/// A list of the catalog, or any other question of it: fields to ask by, made of its arguments; a table; the next page.
struct ListPage: Sendable {
    let words: SharedStrings<ConsoleStrings>, strings: SharedStrings<Strings>
    let title: String, path: String
    let fields: [FormField], hidden: [FormField], hasFields: Bool
    let problem: String?, done: String?
    let actions: [ShownCell], hasActions: Bool
    let table: ShownTable?, object: ShownObject?
    let next: String?, first: String?, hasMore: Bool

    static let pageSize = 50

    static func answer(_ entry: AdminEntry, _ request: ConsoleRequest) async throws -> Response {
        var asked: [(String, String)] = []
        for argument in entry.arguments where argument.name != "limit" && argument.name != "after" {
            if let text = try request.browser.parameters[argument.name] { asked.append((argument.name, text)) }
        }
        // What is not named is asked for, before anything is looked up.
        let isAsked = entry.arguments.allSatisfy { argument in
            argument.kind == .flag || argument.isOptional || asked.contains { $0.0 == argument.name }
        }
        var arguments = FormField.arguments(asked, of: entry)
        let hasPages = entry.arguments.contains { $0.name == "limit" }
        if hasPages { arguments["limit"] = .integer(pageSize) }
        let after = try request.browser.parameters["after"]
        if hasPages, let after { arguments["after"] = .string(after) }
        guard isAsked else {
            if let refused = try await request.context.catalog.refusal(entry, arguments, in: request.admin) {
                throw refused
            }
            return try await page(entry, request, asked, nil, nil, isOn: false)
        }
        do {
            let result = try await request.context.catalog.run(entry, arguments, in: request.admin)
            return try await page(entry, request, asked, result, nil, isOn: after != nil)
        } catch let failure as AdminFailure where [.usage, .invalid, .conflict].contains(failure.code) {
            // A question that cannot be understood without a word is no mistake of who has not said one yet.
            let isMistake = failure.code != .usage || !asked.isEmpty
            return try await page(entry, request, asked, nil, isMistake ? failure : nil, isOn: false)
        }
    }

    private static func page(
        _ entry: AdminEntry, _ request: ConsoleRequest, _ asked: [(String, String)], _ result: AdminResult?,
        _ failure: AdminFailure?, isOn: Bool
    ) async throws -> Response {
        let shown = try await ListPage(entry, request, asked, result, failure, isOn: isOn)
        let title = failure == nil ? shown.title : "\(shown.strings.frame.problem) \(shown.title)"
        let page = ConsolePage(request, title: title, active: CatalogPages.active(entry.words))
        return page.answer("list", status: failure?.pageStatus ?? 200, shown)
    }

    private init(
        _ entry: AdminEntry, _ request: ConsoleRequest, _ asked: [(String, String)], _ result: AdminResult?,
        _ failure: AdminFailure?, isOn: Bool
    ) async throws {
        (words, strings, path) = (request.words, request.language.strings, CatalogPages.path(entry.words))
        let title = request.words.title(entry.words)
        let context = asked.filter { name, _ in entry.needed.contains { $0.name == name } }
        self.title = context.isEmpty ? title : "\(title) – \(context.map(\.1).joined(separator: " "))"
        problem = failure.map { ShownText.tidy($0.text, limit: 400) ?? "?" }
        done = try request.browser.parameters["done"].map { word in
            word == "already" ? request.words.doneAlready : request.words.done
        }
        let texts = Dictionary(asked) { $1 }
        let own = entry.arguments.filter { !$0.isShared }
        let isNamed = Set(context.map(\.0))
        fields = own.filter { !isNamed.contains($0.name) }.map { FormField($0, text: texts[$0.name], request.words) }
        hidden = own.filter { isNamed.contains($0.name) }.map { FormField($0, text: texts[$0.name], request.words) }
        hasFields = !fields.isEmpty
        actions = try await ListPage.actions(entry, asked, request)
        hasActions = !actions.isEmpty
        switch result {
        case .list(let items, let after):
            let rows = items.compactMap(\.object)
            let reading = try await ConsoleReading(request, of: items)
            table = try await ListPage.table(entry, rows, request, reading)
            object = nil
            next = after.map { CatalogPages.address(entry.words, asked + [("after", $0)]) }
        case .object(let members):
            object = ShownObject(members, try await ConsoleReading(request, of: [.object(members)]))
            (table, next) = (nil, nil)
        case nil: (table, object, next) = (nil, nil, nil)
        }
        first = isOn ? CatalogPages.address(entry.words, asked) : nil
        hasMore = first != nil || next != nil
    }

    /// What makes something of this kind, or is about all of them; `within` one thing, what takes its name.
    static func actions(
        _ entry: AdminEntry, _ asked: [(String, String)], within: Bool = false, _ request: ConsoleRequest
    ) async throws -> [ShownCell] {
        var actions: [ShownCell] = []
        let noun = entry.verb == "list" ? entry.noun : Array(entry.words.prefix(1))
        for other in request.context.catalog.entries
        where other.noun == noun && other.isChange && other.isOfCollection && CatalogPages.has(other) {
            let known = other.taking(asked)
            guard !within || known.count == asked.count,
                try await request.permits(other.words, FormField.arguments(known, of: other))
            else { continue }
            actions.append(
                .link("", request.words.verb(other.words), CatalogPages.address(other.words, known)))
        }
        return actions
    }

    static func table(
        _ entry: AdminEntry, _ rows: [JSONObject], _ request: ConsoleRequest, _ reading: ConsoleReading
    ) async throws -> ShownTable {
        let noun = entry.verb == "list" || ConsoleNoun.of(entry.words) == nil ? entry.noun : entry.words
        let known = ConsoleNoun.of(noun), catalog = request.context.catalog
        // One that is about no single thing is no page of a row.
        let show = catalog.entry(noun + ["show"]).flatMap { CatalogPages.has($0) && !$0.needed.isEmpty ? $0 : nil }
        let there = ShownObject.columns(rows, most: 40)
        let columns = known.map { $0.columns.filter(there.contains) } ?? []
        let shown = columns.isEmpty ? Array(there.prefix(6)) : columns
        var lines: [(cells: [ShownCell], actions: [ShownCell])] = []
        for row in rows {
            var cells = shown.map { ShownCell($0, row[$0] ?? .null, reading) }
            var actions: [ShownCell] = []
            if show == nil {
                actions = try await ThingPage.actions(noun, row, request)
            } else if let show, let first = cells.first, !first.isLink, let address = ThingPage.address(show, row) {
                let text = known?.labels.lazy.compactMap { row[$0]?.string }.first { !$0.isEmpty } ?? first.text
                cells[0] = .link(first.label, text, address)
            }
            lines.append((cells, actions))
        }
        return ShownTable(heads: shown.map { reading.words.member($0) }, rows: lines, reading.words)
    }

    static let template = """
        <h1>{{title}}</h1>
        {{#problem}}<p class="note bad" role="alert" id="problem"><bdi lang="en">{{.}}</bdi></p>{{/problem}}
        {{#done}}<p class="note good" role="status">{{.}}</p>{{/done}}
        {{#hasActions}}<p class="actions">{{#actions}}<a class="button second" href="{{href}}">{{text}}</a>\
        {{/actions}}</p>{{/hasActions}}
        {{#hasFields}}<form class="filter" method="get" action="{{path}}">
        {{#hidden}}<input type="hidden" name="{{name}}" value="{{value}}">{{/hidden}}\
        {{#fields}}<div>{{> field}}</div>
        {{/fields}}<div><button class="button second">{{words.filter}}</button></div>
        </form>{{/hasFields}}
        {{#table}}{{> table}}{{/table}}{{#object}}{{> object}}{{/object}}
        {{#hasMore}}<p class="more">{{#first}}<a href="{{.}}">{{words.first}}</a>{{/first}}\
        {{#next}}<a href="{{.}}" rel="next">{{words.next}}</a>{{/next}}</p>{{/hasMore}}
        """
}

extension AdminFailure {
    /// With what to do about it.
    var text: String { description + (hint.map { "; \($0)" } ?? "") }

    /// Of the page with the form that it stands at.
    var pageStatus: Int { code == .notFound ? 404 : 400 }
}
