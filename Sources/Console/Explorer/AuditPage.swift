import Administration
import Base
import HTTP
import HTTPTypes
import Hummingbird
import Pages

/// `/admin/audit`: who did what, to be searched and taken away as lines of JSON.
struct AuditPage: Sendable {
    struct Field: Sendable { let name: String, label: String, value: String, hint: String? }
    struct Line: Sendable {
        let at: String, action: String, outcome: String, isRefused: Bool, actor: String, node: String
        let nodeLink: String?, origin: String, reason: String, times: String?
    }

    let words: SharedStrings<ExplorerStrings>, common: SharedStrings<ConsoleStrings>
    let title: String, fields: [Field], problem: String?
    let lines: [Line], isEmpty: Bool, hasLines: Bool, next: String?, first: String?, export: String

    private static let names = ["node", "account", "action", "outcome", "actor", "since", "until"]
    private static let pageSize = 50
    /// Lines of an export, the latest; `pando admin audit` gives all.
    static let mostExported = 10_000
    private static let exportStep = 1_000

    static func answer(_ request: ConsoleRequest) async throws -> Response {
        let asked = try self.asked(request), after = try request.browser.parameters["after"]
        var arguments = arguments(asked)
        arguments["limit"] = .integer(pageSize)
        if let after { arguments["after"] = .string(after) }
        do {
            guard case .list(let items, let next) = try await request.run(["audit", "list"], arguments) else {
                throw AdminFailure(.failed, "audit list told no list")
            }
            let nodes = try await TreeLinks.shown(items.compactMap { $0["node"]?.string }, request)
            return try await page(
                AuditPage(request.language, asked: asked, items: items, linked: nodes, next: next, after: after),
                request)
        } catch let failure as AdminFailure where [.notFound, .usage, .invalid].contains(failure.code) {
            return try await page(
                AuditPage(
                    request.language, asked: asked, items: [], next: nil, after: nil, problem: failure.description),
                request, status: 422)
        }
    }

    /// The latest lines that the fields name, one JSON object each (https://jsonlines.org).
    static func export(_ request: ConsoleRequest) async throws -> Response {
        let asked = arguments(try self.asked(request))
        var text = "", after: String?, count = 0
        repeat {
            var arguments = asked
            arguments["limit"] = .integer(exportStep)
            if let after { arguments["after"] = .string(after) }
            guard case .list(let items, let next) = try await request.run(["audit", "list"], arguments) else { break }
            for item in items { text += item.text + "\n" }
            (count, after) = (count + items.count, next)
        } while after != nil && count < mostExported
        return Answer.text(
            text, type: "application/jsonl", store: false,
            headers: [.contentDisposition: "attachment; filename=\"audit.jsonl\""])
    }

    private static func asked(_ request: ConsoleRequest) throws -> [(String, String)] {
        try names.compactMap { name in
            guard let text = try request.browser.parameters[name], !text.isEmpty else { return nil }
            return (name, text)
        }
    }

    private static func arguments(_ asked: [(String, String)]) -> JSONObject {
        var arguments = JSONObject()
        for (name, text) in asked { arguments[name] = .string(text) }
        return arguments
    }

    private static func page(
        _ shown: AuditPage, _ request: ConsoleRequest, status: Int = 200
    ) async throws -> Response {
        let page = ConsolePage(request, title: shown.title, active: "/admin/audit")
        return page.answer("audit", of: .explorer, status: status, shown)
    }

    init(
        _ language: Language, asked: [(String, String)], items: [JSONValue], linked: Set<String> = [], next: String?,
        after: String?, problem: String? = nil
    ) {
        let words = language.explorer, texts = Dictionary(asked) { one, _ in one }
        (self.words, common, title) = (words, language.console, language.console.noun("audit"))
        let labels = [
            "node": words.node, "account": words.account, "action": words.action, "outcome": words.outcome,
            "actor": words.actor, "since": words.auditSince, "until": words.auditUntil,
        ]
        fields = AuditPage.names.map { name in
            Field(
                name: name, label: labels[name] ?? name, value: ShownText.tidy(texts[name] ?? "", limit: 300) ?? "",
                hint: ["since", "until"].contains(name) ? words.timeHint : nil)
        }
        self.problem = problem.flatMap { ShownText.tidy($0, limit: 400) }
        lines = items.map { AuditPage.line($0, linked, words) }
        (isEmpty, hasLines) = (lines.isEmpty && problem == nil, !lines.isEmpty)
        self.next = next.map { "/admin/audit?" + FormCodec.write(asked + [("after", $0)]) }
        first = after == nil ? nil : AuditPage.address("/admin/audit", asked)
        export = AuditPage.address("/admin/audit/export", asked)
    }

    private static func address(_ path: String, _ asked: [(String, String)]) -> String {
        asked.isEmpty ? path : path + "?" + FormCodec.write(asked)
    }

    private static func line(
        _ item: JSONValue, _ linked: Set<String>, _ words: SharedStrings<ExplorerStrings>
    ) -> Line {
        func text(_ member: String) -> String { ShownText.tidy(item[member]?.string ?? "", limit: 300) ?? "–" }
        let node = item["node"]?.string, count = item["count"]?.integer ?? 1
        return Line(
            at: text("at"), action: text("action"), outcome: text("outcome"),
            isRefused: item["outcome"]?.string == "refused", actor: text("actor"), node: text("node"),
            nodeLink: node.flatMap { linked.contains($0) ? TreeNode.address($0) : nil }, origin: text("from"),
            reason: text("reason"),
            times: count > 1 ? words.times(count) : nil)
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{words.auditLead}}</p>
        {{#problem}}<p class="note bad" role="alert"><bdi lang="en">{{.}}</bdi></p>{{/problem}}
        <form class="filter" method="get" action="/admin/audit">
        {{#fields}}<div><label for="f-{{name}}">{{label}}</label>{{#.hint}}<p class="hint" id="h-{{name}}">{{.}}</p>\
        {{/.hint}}<input id="f-{{name}}" name="{{name}}" value="{{value}}" maxlength="300" autocomplete="off" \
        autocapitalize="none" spellcheck="false"{{#.hint}} aria-describedby="h-{{name}}"{{/.hint}}></div>
        {{/fields}}<div><button class="button second">{{common.filter}}</button></div>
        </form>
        {{#isEmpty}}<p class="empty">{{words.none}}</p>{{/isEmpty}}
        {{#hasLines}}<table class="table"><thead><tr><th scope="col">{{words.at}}</th>\
        <th scope="col">{{words.action}}</th><th scope="col">{{words.outcome}}</th><th scope="col">{{words.node}}</th>\
        <th scope="col">{{words.actor}}</th><th scope="col">{{words.origin}}</th><th scope="col">{{words.reason}}</th>\
        </tr></thead><tbody>
        {{#lines}}<tr><td data-label="{{words.at}}">{{at}}</td><td data-label="{{words.action}}">{{action}}\
        {{#.times}} ({{.}}){{/.times}}</td><td data-label="{{words.outcome}}">\
        <span class="badge{{#isRefused}} off{{/isRefused}}">{{outcome}}</span></td>\
        <td data-label="{{words.node}}">{{#.nodeLink}}<a href="{{.}}">{{/.nodeLink}}<bdi>{{node}}</bdi>\
        {{#.nodeLink}}</a>{{/.nodeLink}}</td><td data-label="{{words.actor}}"><bdi>{{actor}}</bdi></td>\
        <td data-label="{{words.origin}}"><bdi>{{origin}}</bdi></td>\
        <td data-label="{{words.reason}}"><bdi>{{reason}}</bdi></td></tr>
        {{/lines}}</tbody></table>
        <p class="more"><a href="{{export}}">{{words.export}}</a></p>{{/hasLines}}
        {{#first}}<p class="more"><a href="{{.}}">{{words.firstPage}}</a></p>{{/first}}
        {{#next}}<p class="more"><a href="{{.}}" rel="next">{{words.nextPage}}</a></p>{{/next}}
        """
}
