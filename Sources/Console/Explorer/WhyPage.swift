import Administration
import Base
import Hummingbird
import Pages

/// `/admin/why`: a token in a form, never in an address; the rule that ended it, and where it hangs.
struct WhyPage: Sendable {
    struct Fact: Sendable { let label: String, value: String, href: String? }

    let words: SharedStrings<ExplorerStrings>
    let title: String, formToken: String, verdict: String?, isLive: Bool, isDead: Bool
    let facts: [Fact], hasFacts: Bool, tree: String?

    /// The form, and with it nothing else.
    static func form(_ request: ConsoleRequest) async throws -> Response {
        guard let entry = request.context.catalog.entry(["tokens", "why"]),
            AdminPermissions.mayRun(entry, request.admin.authority)
        else { throw AdminFailure(.forbidden, "your roles do not let you do this") }
        return try await page(WhyPage(request.language, formToken: request.formToken), request)
    }

    /// The verdict. The token stands in the request's body alone, and on no page.
    static func answer(_ request: ConsoleRequest) async throws -> Response {
        let token = try request.browser.parameters.required("token")
        do {
            // As stdin of the command: that way it is no argument that anybody might note.
            let result = try await request.run(["tokens", "why"], ["token": "-", "password": .string(token)])
            guard case .object(let verdict) = result else { throw AdminFailure(.failed, "tokens why told no verdict") }
            return try await page(
                WhyPage(request.language, formToken: request.formToken, verdict: .object(verdict)), request)
        } catch let failure as AdminFailure where [.notFound, .usage, .invalid].contains(failure.code) {
            let unknown: JSONValue = ["live": false, "rule": "unknown"]
            return try await page(
                WhyPage(request.language, formToken: request.formToken, verdict: unknown), request, status: 404)
        }
    }

    private static func page(_ shown: WhyPage, _ request: ConsoleRequest, status: Int = 200) async throws -> Response {
        let page = ConsolePage(request, title: shown.title, active: "/admin/why")
        return page.answer("why", of: .explorer, status: status, shown)
    }

    init(_ language: Language, formToken: String, verdict: JSONValue? = nil) {
        let words = language.explorer
        (self.words, title, self.formToken) = (words, words.whyTitle, formToken)
        let rule = verdict?["rule"]?.string
        self.verdict = rule.map { words.rules[$0] ?? $0 }
        isLive = verdict?["live"]?.bool ?? false
        isDead = verdict != nil && !isLive
        func fact(_ label: String, _ value: String?, _ href: String? = nil) -> Fact? {
            value.flatMap { ShownText.tidy($0, limit: 300) }.map { Fact(label: label, value: $0, href: href) }
        }
        let node = verdict?["node"]?.string, cause = verdict?["cause"], end = cause?["node"]?.string
        facts = [
            fact(words.node, node, node.map(TreeNode.address)), fact(words.reference, verdict?["reference"]?.string),
            fact(words.cause, end, end.flatMap(WhyPage.link)), fact(words.at, cause?["at"]?.string),
            fact(words.by, cause?["by"]?.string), fact(words.reason, cause?["reason"]?.string),
        ].compactMap(\.self)
        hasFacts = !facts.isEmpty
        tree = node.map(TreeNode.address)
    }

    /// What the tree page can show.
    private static func link(_ node: String) -> String? {
        let kinds = ["version", "instance", "account", "client", "service", "token", "use", "bundle"]
        return kinds.contains(String(node.prefix { $0 != ":" })) ? TreeNode.address(node) : nil
    }

    static let template = """
        <h1>{{title}}</h1>
        <p class="lead">{{words.whyLead}}</p>
        {{#verdict}}<p class="note {{#isLive}}good{{/isLive}}{{#isDead}}bad{{/isDead}}" role="status">{{.}}</p>\
        {{/verdict}}
        {{#hasFacts}}<dl class="facts">{{#facts}}<div><dt>{{label}}</dt><dd>{{#.href}}<a href="{{.}}">{{/.href}}\
        <bdi>{{value}}</bdi>{{#.href}}</a>{{/.href}}</dd></div>
        {{/facts}}</dl>{{/hasFacts}}
        {{#tree}}<p class="actions"><a class="button second" href="{{.}}">{{words.showTree}}</a></p>{{/tree}}
        <form method="post" action="/admin/why">
        <input type="hidden" name="form_token" value="{{formToken}}">
        <label for="token">{{words.token}}</label>
        <textarea id="token" name="token" required maxlength="16000" autocomplete="off" autocapitalize="none" \
        spellcheck="false"></textarea>
        <button class="button">{{words.tell}}</button>
        </form>
        """
}
