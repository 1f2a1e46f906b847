import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A person's own data: all of it, and nothing secret", .server)
struct AccountExportTests {
    private static let path = "/account/export"

    private func rows(_ reply: Reply, _ member: String) -> [JSONValue] { reply.json[member]?.array ?? [] }

    @Test("an app has all that is held on its person, as JSON that is a file to keep")
    func app() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: account.username)
        _ = try await phone.assertion(pat)
        let browser = Browser(server), app = try await server.webApp("Diary")
        let tokens = try await app.logIn(browser, as: account.username)
        _ = try await server.enrollPhone(of: account)
        let other = try await server.newResident()
        try await Browser(server).logInWithPassword(as: other)

        let reply = try await phone.get(Self.path, token: pat.accessToken)

        #expect(reply.status == 200 && reply[header: "Content-Type"] == "application/json")
        #expect(reply[header: "Cache-Control"] == "no-store")
        #expect(
            reply[header: "Content-Disposition"]?.wholeMatch(
                of: #/attachment; filename="pando-account-\d{4}-\d\d-\d\d\.json"/#) != nil)
        #expect(rows(reply, "account").first?["email"]?.string == account.email && rows(reply, "account").count == 1)
        #expect(rows(reply, "instances").map { $0["id"]?.string } == [phone.clientID])
        #expect(rows(reply, "browser_sessions").count == 1 && rows(reply, "session_applications").count == 1)
        #expect(rows(reply, "applications").map { $0["client"]?.string } == [app.id])
        #expect(rows(reply, "services").map { $0["service"]?.string } == ["learn"])
        #expect(rows(reply, "tiqr_phones").count == 1 && rows(reply, "logins").count >= 2)
        let kinds = rows(reply, "tokens").compactMap { $0["kind"]?.string }
        #expect(kinds.contains("pat") && kinds.contains("access_token"))
        #expect(rows(reply, "activity").contains { $0["action"]?.string == "account.export" })
        #expect(reply.json["cut"] == [])
        #expect(!reply.body.contains(other.username) && !reply.body.contains(other.id.uuidString.lowercased()))
        for secret in [pat.accessToken, pat.refreshToken, pat.jti, tokens.accessToken, tokens.refreshToken] {
            #expect(!secret.isEmpty && !reply.body.contains(secret))
        }
        let hash: String = try await server.database.value(
            "select encode(secret, 'hex') from browser_session where account = \(account.id)")
        #expect(!reply.body.contains(hash) && !reply.body.contains("argon2"))
    }

    @Test(
        "a person reads it as a page, in their language, or takes the file; by format where Accept says something else")
    func browser() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.open(.get, Self.path, headers: [.acceptLanguage: "de"])
        let file = try await browser.open(.get, Self.path + "?format=json")
        let asked = try await browser.open(.get, Self.path, headers: [.accept: "application/json"])

        #expect(page.status == 200 && page[header: "Content-Type"] == "text/html; charset=utf-8")
        #expect(page.body.contains("Alles, was über Sie gespeichert ist") && page.body.contains(account.username))
        #expect(page[header: "Content-Disposition"]?.hasPrefix("inline; filename=\"pando-account-") == true)
        #expect(page[header: "Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(rows(file, "account").first?["username"]?.string == account.username)
        #expect(asked.json["account"] != nil)
    }

    @Test("of operators it is told that one acted, and not which or from where")
    func operators() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: account.username)
        try await server.database.execute(
            """
            insert into audit (at, actor, origin, action, account, outcome)
            values (now(), 'admin:grace', 'tty7', 'accounts.update', \(account.id), 'done')
            """)

        let reply = try await phone.get(Self.path, token: pat.accessToken)

        let line = rows(reply, "activity").first { $0["action"]?.string == "accounts.update" }
        #expect(line?["actor"]?.string == "admin" && line?["origin"] == .null)
        #expect(!reply.body.contains("grace") && !reply.body.contains("tty7"))
    }

    @Test("what is told is bounded: the newest lines, and the name of the array that was too long")
    func bounded() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: account.username)
        try await server.database.execute(
            """
            insert into audit (at, actor, action, account, outcome)
            select now(), 'server', 'old.' || n, \(account.id), 'done' from generate_series(1, 5100) n
            """)

        let reply = try await phone.get(Self.path, token: pat.accessToken)

        #expect(reply.json["cut"] == ["activity"] && rows(reply, "activity").count == 5_000)
        #expect(reply.body.contains("\"old.5100\"") && !reply.body.contains("\"old.1\""))
    }

    // MARK: Refusals

    @Test("without a token or a login there is nothing: 401 for programs, the login page for people")
    func nobody() async throws {
        let server = try TestServer.ofSuite

        let program = try await server.get(Self.path, headers: [.accept: "application/json"])
        let person = try await Browser(server).open(.get, Self.path)

        #expect(program.outcome == "401 invalid_token" && program[header: "WWW-Authenticate"]?.isEmpty == false)
        #expect(person.status == 303 && person.place == "/login?return_to=%2Faccount%2Fdata")
    }

    @Test("an instance's own token, an application's and one without its proof are refused")
    func otherTokens() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let pat = try await phone.logIn(), app = try await server.webApp()
        let tokens = try await app.logIn(Browser(server))

        let instance = try await phone.get(Self.path, token: phone.instance.accessToken)
        let bare = try await server.get(Self.path, headers: [.authorization: "Bearer \(pat.accessToken)"])
        let foreign = try await server.get(Self.path, headers: [.authorization: "Bearer \(tokens.accessToken)"])

        #expect(instance.outcome == "403 insufficient_scope" && foreign.outcome == "403 insufficient_scope")
        #expect(bare.outcome == "401 invalid_token")
    }

    @Test(
        "a format that nobody has, a parameter twice and bytes that are no text are 400",
        arguments: [
            "?format=xml", "?format=json&format=html", "?format=%ff", "?format=json%00",
        ])
    func hostile(_ query: String) async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let pat = try await phone.logIn()

        // A proof covers the path without its query (RFC 9449, 4.2).
        let headers = try phone.dpop(.get, Self.path, token: pat.accessToken)
        let reply = try await server.get(Self.path + query, headers: headers)

        #expect(reply.outcome == "400 invalid_request")
    }

    @Test("the twenty-second within an hour waits: 429 with Retry-After; another person does not")
    func pace() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            var last = try await phone.get(Self.path, token: pat.accessToken)
            for _ in 0..<21 where last.status == 200 { last = try await phone.get(Self.path, token: pat.accessToken) }
            let other = try await Phone.registered(in: server), theirs = try await other.logIn(as: "bob")

            #expect(last.outcome == "429 slow_down" && last[header: "Retry-After"] != nil)
            #expect(try await other.get(Self.path, token: theirs.accessToken).status == 200)
        }
    }

    @Test("while the database is away it is 503, and no token is called bad")
    func databaseAway() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let pat = try await phone.logIn()
        let headers = try phone.dpop(.get, Self.path, token: pat.accessToken)

        try await server.withoutDatabase { away in
            let reply = try await away.get(Self.path, headers: headers)

            #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil)
        }
    }
}
