import Accounts
import Base
import HTTP
import Server
import TestSupport
import Testing

@Suite("Settings as they hold, by the API and at the console", .timeLimit(.minutes(30)))
struct SettingsCommandTests {
    /// With keys in places where operators write them.
    private static let options = TestServerOptions(flags: [
        "audit-kept": "77", "database": "host=db.example.org password=hunter2",
        "trace-endpoint": "https://traces.example.org/v1/traces?key=hunter3",
    ])

    @Test("the API tells each with its value and where it came from, and of a secret that there is one")
    func told() async throws {
        try await TestServer.with(options: Self.options) { server in
            let reply = try await AdminParty.machine(server, scope: "admin.read").ask(.get, "/config")
            let items = reply.json["items"]?.array ?? []
            func told(_ name: String, _ member: String) -> String? {
                items.first { $0["setting"]?.string == name }?[member]?.string
            }

            #expect(reply.status == 200, "\(reply.body)")
            #expect(items.compactMap { $0["setting"]?.string } == Setting.all.map(\.name))
            #expect(told("audit-kept", "value") == "77" && told("audit-kept", "origin") == "flag")
            #expect(told("port", "value") == "8080" && told("port", "origin") == "default")
            #expect(told("database", "value") == "(hidden)" && told("database-replica", "value") == "")
            #expect(told("trace-endpoint", "value") == "https://traces.example.org/v1/traces?(hidden)")
            #expect(!reply.body.contains("hunter"))
        }
    }

    @Test("userinfo of a URL is hidden, each of several, and what is no URL is told as it is written")
    func userinfo() async throws {
        func shown(_ text: String) async throws -> String? {
            let values = try await ConfigurationValues(flags: ["crawler-allow": text], environment: [:])
            return values.shown.first { $0.setting.name == "crawler-allow" }?.value
        }

        #expect(try await shown("https://me:hunter2@a.example/x") == "https://(hidden)@a.example/x")
        #expect(
            try await shown("https://a.example?k=hunter2,https://hunter2@b.example")
                == "https://a.example?(hidden),https://(hidden)@b.example")
        for plain in ["turn:a.example:1?transport=udp", "Pando <a@b.example>", "https://a.example/@x", "10.0.0.0/8"] {
            #expect(try await shown(plain) == plain)
        }
    }

    @Test("the page has a row for each, with its meaning in the language that it is in")
    func page() async throws {
        try await TestServer.with(options: Self.options) { server in
            let visitor = try await ConsoleVisitor.with([(.auditor, nil, nil)], as: "ada", server)

            let page = try await visitor.open("/admin/config/show", language: "de")

            let rows = page.body.matches(of: #/(?s)<tr role="row"><td.*?<\/tr>/#).map { String($0.0) }
            let row = rows.first { $0.contains("<bdi>audit-kept</bdi>") } ?? ""
            #expect(page.status == 200 && page.body.contains("<h1>Einstellungen</h1>"))
            #expect(rows.count == Setting.all.count)
            #expect(row.contains("<bdi>77</bdi>") && row.contains("<bdi>flag</bdi>"))
            #expect(row.contains("<bdi lang=\"en\">"))
            #expect(!row.contains("<a "), "a row leads nowhere")
            #expect(page.body.contains("<bdi>(hidden)</bdi>") && !page.body.contains("hunter"))
            #expect(page.body.contains("<a href=\"/admin/config/show\" aria-current=\"page\">"))
        }
    }

    @Test(
        "who sees all of the federation is answered, and has it in the menu; nobody else is",
        arguments: [
            (nil, false), (.serviceOwner, false), (.institutionAdministrator, false), (.auditor, true),
            (.administrator, true),
        ] as [(Role?, Bool)])
    func roles(role: Role?, isAnswered: Bool) async throws {
        try await Administered.with { (it: Administered) async throws in
            try await it.give(role, to: "bob")
            let party = try await AdminParty.person(it.server, as: "bob")
            let visitor = try await ConsoleVisitor.logIn("bob", it.server)

            let told = try await party.ask(.get, "/config"), page = try await visitor.open("/admin/config/show")
            let start = try await visitor.open("/admin")

            #expect(told.outcome == (isAnswered ? "200" : "403 forbidden"))
            #expect(page.status == (isAnswered ? 200 : 403))
            #expect(start.body.contains("href=\"/admin/config/show\"") == isAnswered)
        }
    }
}
