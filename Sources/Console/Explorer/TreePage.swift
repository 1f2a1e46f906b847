import Administration
import Base
import Hummingbird
import Pages

/// `/admin/tree`: a node with what hangs below it, as a picture and as a list, and a field to find another.
struct TreePage: Sendable {
    struct Fact: Sendable { let label: String, value: String, href: String? }
    struct Choice: Sendable { let href: String, kind: String, name: String }

    let words: SharedStrings<ExplorerStrings>, common: SharedStrings<ConsoleStrings>
    let title: String, asked: String, problem: String?
    let choices: [Choice], hasChoices: Bool
    let root: TreeNode?, facts: [Fact], picture: TreePicture?
    let cut: String?, audit: String?, next: String?, first: String?, isChildless: Bool

    private static let depth = 5, limit = 25

    static func answer(_ request: ConsoleRequest) async throws -> Response {
        let parameters = request.browser.parameters
        let text = try parameters["q"], node = try parameters["node"], after = try parameters["after"]
        if node == nil, let text, !text.isEmpty { return try await find(text, request) }
        guard let node, !node.isEmpty else { return try await page(TreePage(request), request) }
        var arguments: JSONObject = [
            "node": .string(node), "depth": .integer(depth), "limit": .integer(limit),
        ]
        if let after { arguments["after"] = .string(after) }
        do {
            guard case .object(let tree) = try await request.run(["tree", "show"], arguments) else {
                throw AdminFailure(.failed, "tree show told no tree")
            }
            let mayCut = try await request.permits(["tokens", "revoke"], ["node": .string(node)])
            let mayRead = try await request.permits(["audit", "list"])
            return try await page(
                TreePage(request, asked: node, tree: .object(tree), after: after, mayCut: mayCut, mayRead: mayRead),
                request)
        } catch let failure as AdminFailure where [.notFound, .usage, .invalid].contains(failure.code) {
            return try await page(TreePage(request, asked: node, isUnknown: true), request, status: 404)
        }
    }

    /// One node is shown at once.
    private static func find(_ text: String, _ request: ConsoleRequest) async throws -> Response {
        let found: [JSONValue]
        do {
            guard case .list(let items, _) = try await request.run(["tree", "find"], ["text": .string(text)]) else {
                throw AdminFailure(.failed, "tree find told no list")
            }
            found = items
        } catch let failure as AdminFailure where failure.code == .forbidden {
            found = try await own(text, request)
        } catch let failure as AdminFailure where [.notFound, .usage, .invalid].contains(failure.code) {
            found = []
        }
        if found.count == 1, let node = found[0]["node"]?.string {
            return request.browser.redirect(request.context.web.issuer + TreeNode.address(node))
        }
        let page = TreePage(request, asked: text, found: found, isUnknown: found.isEmpty)
        return try await self.page(page, request, status: found.isEmpty ? 404 : 200)
    }

    /// Who sees a part of the federation finds what is theirs: whatever else has that name is not there.
    private static func own(_ text: String, _ request: ConsoleRequest) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for kind in ["", "account:", "service:", "client:", "instance:", "version:", "token:"] {
            let asked: JSONObject = ["node": .string(kind + text), "depth": 0]
            do {
                guard case .object(let node) = try await request.run(["tree", "show"], asked) else { continue }
                let label = node["node"]?.string ?? ""
                found.append([
                    "node": .string(label), "kind": node["kind"] ?? .null,
                    "name": .string(String(label.drop { $0 != ":" }.dropFirst())),
                ])
            } catch let failure as AdminFailure where failure.code != .unavailable {}
        }
        return found
    }

    private static func page(
        _ shown: TreePage, _ request: ConsoleRequest, status: Int = 200
    ) async throws -> Response {
        let page = ConsolePage(request, title: shown.title, active: "/admin/tree")
        return page.answer("tree", of: .explorer, status: status, shown)
    }

    private init(
        _ request: ConsoleRequest, asked: String = "", found: [JSONValue] = [], tree: JSONValue? = nil,
        after: String? = nil, isUnknown: Bool = false, mayCut: Bool = false, mayRead: Bool = false
    ) {
        self.init(
            request.language, asked: asked, found: found, tree: tree, after: after, isUnknown: isUnknown,
            mayCut: mayCut, mayRead: mayRead)
    }

    init(
        _ language: Language, asked: String = "", found: [JSONValue] = [], tree: JSONValue? = nil,
        after: String? = nil, isUnknown: Bool = false, mayCut: Bool = false, mayRead: Bool = false
    ) {
        let words = language.explorer
        (self.words, common) = (words, language.console)
        self.asked = ShownText.tidy(asked, limit: 300) ?? ""
        problem = isUnknown ? words.unknown : nil
        choices = found.compactMap { item in
            guard let node = item["node"]?.string else { return nil }
            return Choice(
                href: TreeNode.address(node), kind: words.kind(item["kind"]?.string ?? ""),
                name: ShownText.tidy(item["name"]?.string ?? node) ?? "?")
        }
        hasChoices = !choices.isEmpty
        root = tree.flatMap { TreeNode($0, words) }
        title = root.map { "\($0.kind) \($0.name)" } ?? language.console.noun("tree")
        picture = root.flatMap { $0.isParent || $0.more != nil ? TreePicture($0) : nil }
        isChildless = root.map { !$0.isParent && $0.more == nil } ?? false
        facts = tree.map { TreePage.facts($0, words) } ?? []
        let node = root?.node ?? ""
        cut =
            mayCut && root?.statusClass == "live"
            ? "\(CatalogPages.path(["tokens", "revoke"]))?" + FormCodec.write([("node", node)]) : nil
        audit = mayRead && root != nil ? "/admin/audit?" + FormCodec.write([("node", node)]) : nil
        next = tree?["next"]?.string.map { "/admin/tree?" + FormCodec.write([("node", node), ("after", $0)]) }
        first = after == nil ? nil : TreeNode.address(node)
    }

    /// What the node itself says, with ways to what it is of.
    private static func facts(_ tree: JSONValue, _ words: SharedStrings<ExplorerStrings>) -> [Fact] {
        func fact(_ label: String, _ member: String, _ kind: String? = nil) -> Fact? {
            guard let value = tree[member]?.string, let shown = ShownText.tidy(value, limit: 200) else { return nil }
            let node = kind.map { "\($0):\(value)" }
            let isItself = node == tree["node"]?.string
            return Fact(label: label, value: shown, href: isItself ? nil : node.map(TreeNode.address))
        }
        let holder = ["access_token", "code"].contains(tree["kind"]?.string ?? "") ? "client" : "instance"
        return [
            Fact(label: words.status, value: words.status(tree["status"]?.string ?? "live"), href: nil),
            fact(words.since, "issued_at"), fact(words.until, "expires_at"),
            fact(words.client, "client_id", holder), fact(words.account, "account", "account"),
            fact(words.service, "service", "service"),
        ].compactMap(\.self)
    }

    static let template = """
        <h1><bdi>{{title}}</bdi></h1>
        <p class="lead">{{words.treeLead}}</p>
        <form method="get" action="/admin/tree">
        <label for="q">{{words.search}}</label>
        <p class="hint" id="q-hint">{{words.searchHint}}</p>
        <input id="q" name="q" value="{{asked}}" maxlength="300" autocomplete="off" autocapitalize="none" \
        spellcheck="false" aria-describedby="q-hint">
        <button class="button second">{{words.find}}</button>
        </form>
        {{#problem}}<p class="note warn" role="status">{{.}}</p>{{/problem}}
        {{#hasChoices}}<section><h2>{{words.several}}</h2>
        <ul class="plain">{{#choices}}<li><a href="{{href}}">{{kind}} <bdi>{{name}}</bdi></a></li>
        {{/choices}}</ul></section>{{/hasChoices}}
        {{#root}}<dl class="facts wide">{{#facts}}<div><dt>{{label}}</dt><dd>{{#.href}}<a href="{{.}}">{{/.href}}\
        <bdi>{{value}}</bdi>{{#.href}}</a>{{/.href}}</dd></div>
        {{/facts}}</dl>
        {{#cut}}<p class="actions"><a class="button danger" href="{{.}}">{{words.cut}}</a></p>{{/cut}}
        {{#audit}}<p class="actions"><a class="button second" href="{{.}}">{{words.audit}}</a></p>{{/audit}}
        {{#isChildless}}<p class="empty">{{words.childless}}</p>{{/isChildless}}
        {{#picture}}<section><h2>{{words.below}}</h2>
        {{> treePicture}}
        </section>
        <details class="list-of-tree"><summary>{{words.list}}</summary>
        <ul class="branch-list">{{#root}}{{> treeBranch}}{{/root}}</ul></details>{{/picture}}{{/root}}
        {{#first}}<p class="more"><a href="{{.}}">{{words.firstPage}}</a></p>{{/first}}
        {{#next}}<p class="more"><a href="{{.}}" rel="next">{{words.nextPage}}</a></p>{{/next}}
        """

    /// A node of the list, with those below it.
    static let branch = """
        <li><a href="{{href}}">{{kind}} <bdi>{{name}}</bdi></a> <span class="state {{statusClass}}">{{status}}\
        {{#.detail}}, {{.}}{{/.detail}}</span>{{#isParent}}
        <ul class="branch-list">{{#children}}{{> treeBranch}}{{/children}}</ul>{{/isParent}}{{#.more}}
        <p class="state"><a href="{{href}}">{{.}}</a></p>{{/.more}}</li>

        """
}
