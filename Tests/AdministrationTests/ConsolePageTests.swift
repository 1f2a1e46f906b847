import Accounts
import Administration
import Base
import Commands
import PageTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Console
@testable import Pages

@Suite("Pages of the console")
struct ConsolePageTests {
    private static let paths = [
        "/admin/accounts", "/admin/accounts?query=ada", "/admin/accounts/show?account=bob",
        "/admin/accounts/update?account=bob", "/admin/accounts/suspend?account=bob", "/admin/accounts/invite",
        "/admin/accounts/create", "/admin/apps", "/admin/apps/show?app=ch.example.wallet",
        "/admin/apps/versions?app=ch.example.wallet", "/admin/apps/versions/add?app=ch.example.wallet",
        "/admin/instances", "/admin/services", "/admin/services/show?service=learn", "/admin/services/add",
        "/admin/clients", "/admin/clients/create", "/admin/keys", "/admin/crawl/status", "/admin/events/status",
        "/admin/events/dead?service=learn", "/admin/passkeys", "/admin/wallets", "/admin/tiqr/identities",
        "/admin/operations", "/admin/operations/registrations", "/admin/keys/rotate", "/admin/config/show",
    ]

    @Test("what holds of every page holds in every language", arguments: Language.allCases)
    func rules(language: Language) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            var pages: [PageSample] = []
            for path in Self.paths {
                let reply = try await visitor.open(path, language: language.rawValue)
                try #require(reply.status == 200, "\(path): \(reply.body)")
                pages.append(PageSample(path, language, reply.body))
            }
            let preview = try await visitor.browser.open(
                .post, "/admin/accounts/suspend",
                form: [
                    (
                        "form_token",
                        try await server.formToken(visitor.browser, at: "/admin/accounts/suspend?account=bob")
                    ), ("account", "bob"),
                ], headers: [.acceptLanguage: language.rawValue])
            pages.append(PageSample("preview", language, preview.body))

            for page in pages {
                PageRules.whole(page)
                PageRules.policy(page)
                PageRules.outline(page)
                PageRules.fields(page)
            }
            // Helps of commands are English everywhere, and names are anybody's: what is ours is spelled by the words.
            #expect(pages.allSatisfy { $0.html.contains("<nav id=\"menu\"") })
        }
    }

    @Test("whatever somebody else wrote, a page keeps its tags and attributes", arguments: PageSample.hostile)
    func escaping(text: String) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            let name = text.replacing("\0", with: "")
            _ = try await server.database.execute("update account set name = \(name)")
            _ = try await server.database.execute("update app set name = \(name)")
            _ = try await server.database.execute("update service set name = \(name)")
            _ = try await server.database.execute("update client set name = \(name)")

            for path in [
                "/admin/accounts", "/admin/accounts/show?account=bob", "/admin/accounts/update?account=bob",
                "/admin/apps", "/admin/apps/show?app=ch.example.wallet", "/admin/services",
                "/admin/services/show?service=learn", "/admin/clients", "/admin/events/status",
            ] {
                let page = Markup(try await visitor.open(path).body), comment = Comment(rawValue: path)

                #expect(page.rubbish == [] && page.all("script", "style", "img") == [], comment)
                #expect(!page.tags.contains { $0.hasHandler || $0.attributes["formaction"] != nil }, comment)
            }
        }
    }

    @Test(
        "a query that is no query of ours changes no tag of the page, and asks nothing", arguments: PageSample.hostile)
    func queries(text: String) async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            let word = FormCodec.encode(text.replacing("\0", with: ""))
            for path in ["accounts?query=", "accounts/suspend?account=", "accounts/show?account=", "apps/create?name="]
            {
                let reply = try await visitor.open("/admin/\(path)\(word)")

                #expect([200, 404].contains(reply.status), "\(path)")
                #expect(Markup(reply.body).all("script", "style", "img") == [], "\(path)")
            }
        }
    }

    @Test("each kind of thing and each change of the catalog has its words in four languages")
    func words() {
        let entries = AdminCatalog.ofServer.entries.filter(CatalogPages.has)
        for rows in [ConsoleWords.nounRows, ConsoleWords.verbRows, ConsoleWords.memberRows, ConsoleWords.valueRows] {
            for row in rows.split(separator: "\n") {
                #expect(row.split(separator: "|").count == 5, "\(row)")
            }
            let names = rows.split(separator: "\n").compactMap { $0.split(separator: "|").first }
            // Of two rows one would count for nothing.
            #expect(names.filter { name in names.count { $0 == name } > 1 } == [])
        }
        for entry in entries where entry.isChange {
            let path = entry.words.joined(separator: " ")
            #expect(ConsoleWords.verbs[path] != nil || ConsoleWords.verbs[entry.verb] != nil, "\(path)")
        }
        for entry in entries where entry.verb == "list" {
            #expect(ConsoleWords.nouns[entry.noun.joined(separator: " ")] != nil, "\(entry.noun)")
        }
    }

    @Test("the list of services that hear shows how many seconds each is behind, and that it has caught up")
    func lag() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            func lags(_ page: Reply) -> [String: String] {
                let rows = page.body.matches(of: #/(?s)<tr role="row"><td.*?<\/tr>/#).map { String($0.0) }
                return [String: String](
                    rows.compactMap { row in
                        guard let service = row.firstMatch(of: #/<bdi>([a-z]+)<\/bdi>/#)?.1,
                            let lag = row.firstMatch(of: #/data-label="Lag \(seconds\)"><bdi>(\d+)<\/bdi>/#)?.1
                        else { return nil }
                        return (String(service), String(lag))
                    }, uniquingKeysWith: { first, _ in first })
            }
            try await server.parts.composition.outbox.ended(
                NodeID(endless: .system), services: ["learn"], in: server.database)
            server.time.advance(30)

            let behind = try await visitor.open("/admin/events/status")
            try await server.sendEvents()
            let done = try await visitor.open("/admin/events/status")

            #expect(behind.status == 200 && behind.body.contains(">Lag (seconds)</th>"))
            #expect(lags(behind)["learn"] == "30", "\(behind.body)")
            #expect(lags(done)["learn"] == "0", "\(done.body)")
        }
    }

    @Test("times are told roughly, and exactly beside it")
    func times() async throws {
        try await TestServer.with { server in
            let visitor = try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server)
            server.time.advance(600)

            let page = try await visitor.open("/admin/accounts/show?account=bob")

            #expect(page.body.firstMatch(of: #/<time datetime="[^"]+" title="[^"]+">10 minutes ago<\/time>/#) != nil)
        }
    }
}

@Suite("What a change would end, as it was looked at")
struct WhatEndsTests {
    private static func result(_ tokens: Int, _ services: [String] = [], already: Bool = false) -> JSONObject {
        [
            "already": .bool(already),
            "revoked": [
                "tokens": .integer(tokens),
                "services": .array(services.map { ["id": .string($0), "tokens": 1] }),
            ],
        ]
    }

    @Test("a few tokens more are no news, and fewer are none either")
    func tokens() {
        let seen = WhatEnds.Seen(Self.result(100, ["learn"])).text

        #expect(WhatEnds.Seen(Self.result(110, ["learn"])).isExpected(seen))
        #expect(WhatEnds.Seen(Self.result(0)).isExpected(seen))
        #expect(!WhatEnds.Seen(Self.result(111, ["learn"])).isExpected(seen))
    }

    @Test("a change that revokes one node and does nothing else tells it in its own members")
    func alone() {
        let result: JSONObject = ["node": "app:x", "already": false, "tokens": 3, "services": [["id": "learn"]]]

        #expect(WhatEnds.Seen(result).text == "0 0 3 0 learn")
        #expect(WhatEnds(result, Language.en.console)?.sentences == ["3 tokens end.", "1 service is told."])
        #expect(WhatEnds(["name": "x"], Language.en.console)?.sentences == nil)
    }

    @Test("another service is, and so is that it is done already; and what no page of ours wrote")
    func news() {
        let seen = WhatEnds.Seen(Self.result(100, ["learn"])).text

        #expect(!WhatEnds.Seen(Self.result(100, ["learn", "quiet"])).isExpected(seen))
        #expect(!WhatEnds.Seen(Self.result(100, ["learn"], already: true)).isExpected(seen))
        for text in ["", "0 0 x 0 ", "0 0 1", String(repeating: " ", count: 4)] {
            #expect(!WhatEnds.Seen(Self.result(100, ["learn"])).isExpected(text))
        }
    }
}
