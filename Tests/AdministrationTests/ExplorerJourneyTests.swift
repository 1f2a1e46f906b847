import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("The console's tree, verdicts, audit trail and figures, in a browser")
struct ExplorerJourneyTests {
    /// Logged in, with a role where one is named.
    private func browser(_ role: String?, _ server: TestServer) async throws -> Browser {
        let person = try await server.newResident(), browser = Browser(server)
        if let role {
            _ = try await server.database.execute(
                """
                insert into role_grant (account, role, granted_at, granted_by)
                values (\(person.id), \(role), \(server.time.now), 'admin:test')
                """)
        }
        let login = try await browser.open(.get, "/login?return_to=/account")
        _ = try await browser.goOn(.page(login), as: person.username)
        return browser
    }

    @Test("a name leads to its node, from there to the cut, and what nobody has is told so")
    func tree() async throws {
        try await TestServer.with { server in
            let browser = try await browser("administrator", server), phone = try await Phone.registered(in: server)

            let found = try await browser.open(.get, "/admin/tree?q=\(phone.clientID)")
            let node = try await browser.open(.get, "/admin/tree?node=instance:\(phone.clientID)")
            let unknown = try await browser.open(.get, "/admin/tree?q=nobody-has-this")
            let bad = try await browser.open(.get, "/admin/tree?node=%3Cscript%3E")

            #expect(found.status == 303 && found[header: "Location"]?.contains("/admin/tree?node=instance") == true)
            #expect(node.status == 200 && node.body.contains("<svg") && node.body.contains("Instance token"))
            #expect(node.body.contains("/admin/tokens/revoke?node=instance"))
            #expect(unknown.status == 404 && unknown.body.contains("Nothing has this name."))
            #expect(bad.status == 404 && !bad.body.contains("<script>"))
            #expect(node[header: "Cache-Control"] == "no-store")
        }
    }

    @Test("a token is told about from a form alone, and stands on no page and in no address")
    func why() async throws {
        try await TestServer.with { server in
            let browser = try await browser("auditor", server), phone = try await Phone.registered(in: server)
            let token = phone.instance.accessToken
            func ask(_ token: String) async throws -> Reply {
                let form = try await server.formToken(browser, at: "/admin/why")
                return try await browser.open(.post, "/admin/why", form: [("form_token", form), ("token", token)])
            }

            let live = try await ask(token), unknown = try await ask("no token at all")
            let foreign = try await browser.open(.post, "/admin/why", form: [("token", token)])
            let inAddress = try await browser.open(.get, "/admin/why?token=\(token)")

            #expect(
                live.status == 200 && live.body.contains("It lives") && live.body.contains("/admin/tree?node=token"))
            #expect(live[header: "Cache-Control"] == "no-store" && !live.body.contains(token))
            #expect(unknown.status == 404 && unknown.body.contains("No token of this federation"))
            #expect(foreign.status == 403)
            #expect(!inAddress.body.contains("It lives"))
        }
    }

    @Test("the audit trail is searched, and leaves as lines of JSON")
    func audit() async throws {
        try await TestServer.with { server in
            let browser = try await browser("auditor", server)

            let page = try await browser.open(.get, "/admin/audit?action=login&outcome=done")
            let none = try await browser.open(.get, "/admin/audit?action=nothing-is-called-so")
            let bad = try await browser.open(.get, "/admin/audit?since=yesterday")
            let export = try await browser.open(.get, "/admin/audit/export?action=login")

            #expect(page.status == 200 && page.body.contains("<td") && page.body.contains("login"))
            #expect(none.status == 200 && none.body.contains("There are no such lines."))
            #expect(bad.status == 422 && bad.body.contains("RFC 3339"))
            #expect(export.status == 200 && export[header: "Content-Type"] == "application/jsonl")
            #expect(export[header: "Content-Disposition"]?.contains("audit.jsonl") == true)
            let lines = export.body.split(separator: "\n")
            #expect(!lines.isEmpty)
            #expect(lines.allSatisfy { (try? JSONReader.read($0.utf8))?["action"]?.string?.hasPrefix("login") == true })
        }
    }

    @Test("figures are for who sees all; strangers log in, and who has no role sees nothing")
    func overview() async throws {
        try await TestServer.with { server in
            let now = server.time.now
            _ = try await server.database.execute(
                """
                insert into statistic (step, bucket, metric, label, value)
                select 300, date_bin('5 minutes', \(now)::timestamptz - interval '1 hour', 'epoch'),
                    m.metric, m.label, 5
                from (values ('taken', ''), ('logins', 'pwd/done')) m (metric, label)
                """)
            let auditor = try await browser("auditor", server), nobody = try await browser(nil, server)

            let page = try await auditor.open(.get, "/admin")
            let week = try await auditor.open(.get, "/admin?range=week")
            let refused = try await nobody.open(.get, "/admin")
            let stranger = try await Browser(server).open(.get, "/admin/tree?node=account:ada")

            #expect(page.status == 200 && page.body.contains("plot-logins") && page.body.contains("password, done"))
            #expect(week.body.contains("aria-current=\"page\">7 days"))
            #expect(refused.status == 403 && !refused.body.contains("plot-logins"))
            #expect(stranger.status == 303 && stranger[header: "Location"]?.contains("/login?") == true)
        }
    }

    @Test("a database that is away is 503, and nothing is refused for it")
    func away() async throws {
        try await TestServer.with { server in
            let browser = try await browser("administrator", server), cookies = await browser.cookies
            try await server.withoutDatabase { away in
                let other = Browser(away)
                for (name, value) in cookies { await other.set(cookie: name, to: value) }
                for path in ["/admin", "/admin/tree?node=account:ada", "/admin/audit", "/admin/why"] {
                    let reply = try await other.open(.get, path)
                    #expect(reply.status == 503 && reply[header: "Retry-After"] != nil, "\(path)")
                }
            }
        }
    }
}
