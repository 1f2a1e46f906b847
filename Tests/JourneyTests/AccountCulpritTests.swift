import Accounts
import Base
import Foundation
import HTTP
import HTTPTypes
import TestSupport
import Testing

@Suite("What a person is told of their account keeps others out, and leads to who did it")
struct AccountCulpritTests {
    private func submit(_ browser: Browser, _ path: String, _ name: String, _ value: String) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (name, value)])
    }

    /// The page behind "That was not me" of the newest line with this title.
    private func notMe(_ title: String, _ browser: Browser) async throws -> String {
        let page = try await browser.open(.get, "/account/activity").body
        let lines = page.matches(
            of: #/<h2><bdi>([^<]*)<\/bdi><\/h2>.*?href="(\/account\/activity\/not-me\?event=[^"]*)"/#
                .dotMatchesNewlines())
        let line = try #require(lines.first { $0.1 == title }, "\(lines.map(\.1))")
        return try await browser.open(.get, String(line.2)).body
    }

    @Test("what another phone did to a phone leads to the end of the other")
    func otherPhone() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), victim = try await Phone.registered(in: server)
            let culprit = try await Phone.registered(in: server), pat = try await culprit.logIn(as: ada.username)
            _ = try await victim.logIn(as: ada.username)
            let path = "/instances/\(victim.clientID)", body: JSONValue = ["name": "Mine now"]
            var headers = try culprit.dpop(.patch, path, token: pat.accessToken)
            headers[.contentType] = "application/json"
            #expect(try await server.send(.patch, path, headers: headers, body: body.bytes).status == 200)
            let browser = Browser(server)
            try await browser.logInWithPassword(as: ada)

            let page = try await notMe("A phone was described anew", browser)

            let form = Browser.form(Reply(status: 200, headers: [:], body: page), action: "/account/disconnect")
            #expect(form.fields.contains { $0.0 == "instance" && $0.1 == culprit.clientID })
            #expect(!page.contains(victim.clientID))
        }
    }

    @Test("what was done in a browser leads to the end of all others, where there is another")
    func otherBrowser() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: ada.username)
            let culprit = Browser(server), mine = Browser(server)
            try await culprit.logInWithPassword(as: ada)
            #expect(try await submit(culprit, "/account/disconnect", "instance", phone.clientID).status == 303)
            try await mine.logInWithPassword(as: ada)

            let page = try await notMe("An access was ended", mine)
            let form = Browser.form(Reply(status: 200, headers: [:], body: page), action: "/account/others/end")
            #expect(try await mine.open(.post, form.action, form: form.fields).status == 303)

            #expect(try await culprit.open(.get, "/account").status == 303)
            #expect(try await mine.open(.get, "/account").status == 200)
        }
    }

    @Test("who guesses passwords for hours does not push a login out of sight")
    func flood() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: ada)
            try await server.database.execute(
                """
                insert into audit (at, actor, origin, action, node, account, outcome)
                select now(), 'browser:x', '192.0.2.1', 'login', 'account:' || \(ada.id)::text, \(ada.id), 'refused'
                from generate_series(1, 500)
                """)

            let page = try await browser.open(.get, "/account/activity").body

            #expect(page.contains("<bdi>Login in a browser</bdi>"))
            #expect(page.components(separatedBy: "<bdi>A login was refused</bdi></h2>").count == 21)
        }
    }

    @Test("a phone that was somebody else's before tells nothing of them")
    func formerOwner() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), before = try await server.newResident()
            let phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: before.username)
            // As an earlier release may have left it: now a phone is one person's for good.
            try await server.database.execute("update app_instance set account = null where id = \(phone.clientID)")
            let pat = try await phone.logIn(as: ada.username)

            let reply = try await phone.get("/account/export", token: pat.accessToken)

            #expect(reply.status == 200 && reply.body.contains(ada.id.uuidString.lowercased()))
            #expect(!reply.body.contains(before.id.uuidString.lowercased()))
        }
    }

    @Test("who was told something is in the export; long rows are cut by their bytes, the newest first")
    func bytes() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let pat = try await phone.logIn(as: ada.username)
            _ = try await phone.assertion(pat)
            try await server.database.execute(
                """
                insert into audit (at, actor, action, account, outcome, detail)
                select now(), 'server', 'long.' || n, \(ada.id), 'done', jsonb_build_object('text', repeat('x', 100000))
                from generate_series(1, 100) n
                """)

            let reply = try await phone.get("/account/export", token: pat.accessToken)

            #expect(reply.json["disclosures"]?.array?.first?["service"]?.string == "learn")
            #expect(reply.json["cut"] == ["activity"] && reply.body.utf8.count < 5 << 20)
            #expect(reply.body.contains("\"long.100\"") && !reply.body.contains("\"long.1\""))
        }
    }

    @Test("another site's link exports nothing, and leaves no line")
    func otherSite() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: ada)

            let reply = try await browser.open(.get, "/account/export", headers: [.fetchSite: "cross-site"])

            #expect(reply.status == 403)
            let lines: Int = try await server.database.value(
                "select count(*) from audit where account = \(ada.id) and action = 'account.export'")
            #expect(lines == 0)
        }
    }
}
