import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@testable import Console

@Suite("The console for who has a part of the federation, and what it tells once")
struct ConsoleScopeTests {
    /// ada administers `uni`, to which she and carol belong; bob does not.
    private static func institution(
        _ body: @Sendable (ConsoleVisitor, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            try await server.database.execute(
                "insert into institution (id, name, created_at) values ('uni', 'University', \(server.time.now))")
            try await server.database.execute(
                "update account set institution = 'uni' where username in ('ada', 'carol')")
            let visitor = try await ConsoleVisitor.with(
                [(.institutionAdministrator, "uni", nil)], as: "ada", server)
            try await body(visitor, server)
        }
    }

    private static func administrator(
        _ body: @Sendable (ConsoleVisitor, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            try await body(try await ConsoleVisitor.with([(.administrator, nil, nil)], as: "ada", server), server)
        }
    }

    @Test("the id of somebody else's person does not tell who that is")
    func names() async throws {
        try await Self.institution { visitor, server in
            let bob = try await ConsoleVisitor.account("bob", server).uuidString.lowercased()
            let carol = try await ConsoleVisitor.account("carol", server).uuidString.lowercased()
            func ask(_ account: String) async throws -> Reply {
                let token = try await server.formToken(visitor.browser, at: "/admin/accounts/invite")
                return try await visitor.browser.open(
                    .post, "/admin/roles/grant",
                    form: [
                        ("form_token", token), ("account", account), ("role", "institution-administrator"),
                        ("institution", "uni"), ("console_step", "preview"),
                    ])
            }

            let foreign = try await ask(bob), own = try await ask(carol)

            #expect(foreign.status == 404 && foreign.body.contains(bob))
            #expect(!foreign.body.contains("<bdi>bob</bdi>"))
            #expect(own.status == 200 && own.body.contains("<bdi>carol</bdi>"), "\(own.body)")
        }
    }

    @Test("an institution's administrator gets the form for a role, gives one of theirs, and no other")
    func roles() async throws {
        try await Self.institution { visitor, server in
            let list = try await visitor.open("/admin/roles")
            let form = try await visitor.open("/admin/roles/grant?account=carol")
            let done = try await visitor.press(
                form, ["role": "institution-administrator", "institution": "uni"], step: "save")
            let beyond = try await visitor.press(form, ["role": "administrator"], step: "save")

            #expect(list.body.contains("href=\"/admin/roles/grant"))
            #expect(form.status == 200)
            #expect(done.status == 303, "\(done.body)")
            #expect(beyond.status == 403)
            let roles: [String] = try await server.database.query(
                "select g.role from role_grant g join account a on a.id = g.account where a.username = 'carol'"
            ).map { try $0("role") }
            #expect(roles == ["institution-administrator"])
        }
    }

    @Test("the menu leads where somebody may go, and nowhere else")
    func menu() async throws {
        try await Self.institution { visitor, server in
            let owner = try await ConsoleVisitor.with([(.serviceOwner, nil, "learn")], as: "bob", server)

            let own = try await visitor.open("/admin").body, other = try await owner.open("/admin").body

            for path in ["accounts", "roles", "services", "tree", "why", "audit"] {
                #expect(own.contains("<a href=\"/admin/\(path)\""), "\(path)")
            }
            for path in ["keys", "providers"] { #expect(!own.contains("<a href=\"/admin/\(path)\""), "\(path)") }
            for path in ["services", "audit"] { #expect(other.contains("<a href=\"/admin/\(path)\""), "\(path)") }
            for path in ["accounts", "tree", "why"] {
                #expect(!other.contains("<a href=\"/admin/\(path)\""), "\(path)")
            }
        }
    }

    @Test("links for many people at once stand on the page that made them")
    func links() async throws {
        try await Self.administrator { visitor, _ in
            let lines = (0..<120).map { "guest\($0),guest\($0)@example.org" }
            let bad = try await visitor.submit("/admin/accounts/import", ["file": "nothing\nx"], step: "save")
            let made = try await visitor.submit(
                "/admin/accounts/import",
                ["file": (["username,email"] + lines).joined(separator: "\n"), "invite": "yes"], step: "save")

            // What was typed can be put right.
            #expect(bad.status == 400 && bad.body.contains("nothing\nx</textarea>"), "\(bad.body)")
            #expect(made.status == 200, "\(made.body.prefix(2_000))")
            #expect(made.body.contains("This is shown once"))
            #expect(made.body.matches(of: #/<bdi>http[^<]*<\/bdi>/#).count == 120)
            #expect(made[header: "Cache-Control"]?.contains("no-store") == true)
        }
    }

    @Test("a secret that is typed as a file is in no page, whatever goes wrong")
    func fileSecret() async throws {
        try await Self.administrator { visitor, server in
            try await server.database.execute(
                "insert into institution (id, name, created_at) values ('uni', 'University', \(server.time.now))")
            let fields = [
                "issuer": "https://idp.example.org", "institution": "uni", "client_id": "pando",
                "client_secret": "a secret that nobody else has",
            ]
            let form = try await visitor.open("/admin/providers/add")
            let wrong = try await visitor.press(form, fields.merging(["id": "No Good"]) { $1 }, step: "save")
            let looked = try await visitor.press(form, fields, step: "preview")

            #expect(form.status == 200 && !form.body.contains("value=\"preview\""))
            #expect(wrong.status == 400 && wrong.body.contains("role=\"alert\""))
            for page in [wrong, looked] { #expect(!page.body.contains("a secret that nobody else has")) }
        }
    }

    @Test("what can be said and denied is chosen, and denying it is no saying it")
    func denied() async throws {
        try await Self.administrator { visitor, server in
            try await server.database.execute(
                "insert into institution (id, name, created_at) values ('uni', 'University', \(server.time.now))")
            let added = try await visitor.submit(
                "/admin/providers/add",
                [
                    "issuer": "https://idp.example.org", "institution": "uni", "client_id": "pando",
                    "auth": "private_key_jwt",
                ], step: "save")
            let off = try await visitor.submit(
                "/admin/providers/update?provider=uni", ["enabled": "no"], step: "save")

            #expect(added.status == 303 && off.status == 303, "\(added.body) \(off.body)")
            let isEnabled: Bool = try await server.database.value(
                "select is_enabled from upstream_provider where id = 'uni'")
            #expect(!isEnabled)
            #expect(try await visitor.open("/admin/providers").body.contains("/admin/providers/show?provider=uni"))
        }
    }

    @Test("who logs in on the way to an export gets the lines that were asked for")
    func export() async throws {
        try await TestServer.with { server in
            let reply = try await Browser(server).open(.get, "/admin/audit/export?action=login&limit=1")

            #expect(
                reply[header: "Location"]?.contains("return_to=%2Fadmin%2Faudit%2Fexport%3Faction%3Dlogin") == true)
        }
    }
}
