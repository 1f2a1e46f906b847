import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP

/// Whose session a browser is in is decided by logins in that browser alone.
@Suite("Attacks on the authorization endpoint: session fixation (group 13)", .server, .serialized)
struct AuthorizationSessionTests {
    private func cookie(_ name: String, in reply: Reply) -> String? {
        reply.headers[values: .setCookie].first { $0.hasPrefix(name + "=") }.flatMap {
            $0.split(separator: ";").first?.split(separator: "=", maxSplits: 1).last.map(String.init)
        }
    }

    private func logIn(_ browser: Browser, as user: String = "ada") async throws -> Reply {
        try await browser.submit(
            try await browser.open(.get, "/login?return_to=/account/password"),
            ["username": user, "password": Residents.password])
    }

    /// Of the account page, asked with these cookies: 303 leads to the login.
    private func status(_ cookie: String) async throws -> Int {
        try await TestServer.ofSuite.get("/account", headers: [.cookie: cookie, .accept: "text/html"]).status
    }

    @Test(
        "group 13: a cookie that somebody set before the login is not the one after it",
        arguments: ["pando_session", "pando_browser"])
    func planted(_ name: String) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server),
            planted = Base64URL.encode(Digest.sha256(UUID().uuidString))
        await browser.set(cookie: name, to: planted)

        let session = try #require(cookie("pando_session", in: try await logIn(browser)))

        #expect(session != planted && session.utf8.count == 43)
        let attacker = Browser(server)
        await attacker.set(cookie: name, to: planted)
        #expect(try await !attacker.isLoggedIn())
    }

    @Test("group 13: an attacker's live session, planted, becomes neither the person's nor keeps its own cookie good")
    func attackersSession() async throws {
        let server = try TestServer.ofSuite, attacker = Browser(server), victim = Browser(server)
        _ = try await logIn(attacker, as: "bob")
        for (name, value) in await attacker.cookies { await victim.set(cookie: name, to: value) }

        // Known already, so it is asked who it is only where a request wants it anew.
        let app = try await server.webApp(),
            again = try await victim.follow(
                try await victim.open(.get, AuthorizationDraft(app.id, changes: ["prompt": "login"]).path))
        _ = try await victim.submit(try #require(again.page), ["username": "ada", "password": Residents.password])

        #expect(try await victim.open(.get, "/account").body.contains("ada@example.org"))
        #expect(try await !attacker.isLoggedIn(), "bob's session ended: one browser, one login")
        #expect(try await !attacker.open(.get, "/account").body.contains("ada@example.org"))
    }

    @Test("group 13: every login changes the cookie, and the one before it is worth nothing; logout ends the last")
    func rotated() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), app = try await server.webApp()
        let first = try #require(cookie("pando_session", in: try await logIn(browser)))
        let
            again = try await browser.follow(
                try await browser.open(.get, AuthorizationDraft(app.id, changes: ["prompt": "login"]).path)),
            page = try #require(again.page)
        let second = try #require(
            cookie(
                "pando_session",
                in: try await browser.submit(page, ["username": "ada", "password": Residents.password])))

        #expect(first != second)
        let thief = Browser(server), cookies = await browser.cookies
        await thief.set(cookie: "pando_browser", to: cookies["pando_browser"])
        await thief.set(cookie: "pando_session", to: first)
        #expect(try await !thief.isLoggedIn(), "the cookie from before the second login")
        await thief.set(cookie: "pando_session", to: second)
        #expect(try await thief.isLoggedIn(), "so it was the cookie")
        _ = try await browser.submit(try await browser.open(.get, "/logout"))
        #expect(try await !thief.isLoggedIn())
    }

    @Test("group 13: a login page begun in one browser is not ended in another: neither its address nor its form")
    func begunElsewhere() async throws {
        let server = try TestServer.ofSuite, attacker = Browser(server), victim = Browser(server),
            app = try await server.webApp()
        let sent = try await attacker.open(.get, AuthorizationDraft(app.id).path),
            path = String(try #require(sent.location).dropFirst(ServerParts.root.count))
        let page = try await attacker.open(.get, path), (action, fields) = Browser.form(page),
            reference = try #require(fields.first { $0.0 == "request" }?.1)

        #expect(try await victim.open(.get, path).isRefusedOnPage("invalid_request"))
        #expect(try await victim.open(.get, "/authorize?continue=\(reference)").isRefusedOnPage("invalid_request"))
        #expect(try await victim.open(.get, "/consent?request=\(reference)").isRefusedOnPage("invalid_request"))
        let posted = try await victim.open(
            .post, action,
            form: fields.filter { $0.0 != "username" && $0.0 != "password" } + [
                ("username", "ada"), ("password", Residents.password),
            ])
        #expect(posted.isRefusedOnPage("forbidden", status: 403))
        #expect(try await !victim.isLoggedIn())
    }

    @Test(
        "group 13: two cookies of one name are none: somebody else set one of them",
        arguments: ["pando_session", "pando_browser"])
    func doubled(_ name: String) async throws {
        let browser = Browser(try TestServer.ofSuite)
        _ = try await logIn(browser)
        let cookies = await browser.cookies, line = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")

        #expect(try await status(line) == 200)
        #expect(try await status("\(name)=\(Base64URL.encode(Digest.sha256("x"))); " + line) == 303)
        #expect(try await status(line + "; \(name)=x") == 303)
    }

    @Test(
        "group 13: what a neighbour host puts into its own cookie makes none of ours, and takes none of ours away",
        arguments: ["pando_session", "pando_browser"])
    func neighbours(_ name: String) async throws {
        let browser = Browser(try TestServer.ofSuite)
        _ = try await logIn(browser)
        let cookies = await browser.cookies, own = try #require(cookies[name])
        let all = cookies.map { "\($0.key)=\($0.value)" }
        let line = all.joined(separator: "; "), others = all.filter { !$0.hasPrefix("\(name)=") }

        // To Swift this is a semicolon: with it, a cookie that may be set for a whole domain held one that may not.
        #expect(try await status((["x=1\u{37E}\(name)=\(own)"] + others).joined(separator: "; ")) == 303)
        #expect(try await status("x=1\u{37E}\(name)=\(own); " + line) == 200)
        // And this makes one character of the semicolon behind it.
        #expect(try await status("x=1\u{600}; " + line) == 200)
    }

    @Test("group 13: cookies are for the server alone, and with TLS for this host alone")
    func attributes() async throws {
        let browser = Browser(try TestServer.ofSuite),
            lines =
                try await browser.open(.get, "/login").headers[values: .setCookie]
                + logIn(browser).headers[values: .setCookie]

        #expect(lines.count == 3, "the browser, the session, and the way that was taken")
        for line in lines {
            #expect(
                line.contains("; HttpOnly") && line.contains("; SameSite=Lax") && line.contains("; Path=/")
                    && !line.contains("Domain="))
        }
        let secure = BrowserCookies(issuer: "https://id.example.org")
        for line in [
            secure.setBrowser("x"), secure.setSession("x"), secure.clearSession, secure.setWay("x", seconds: 1),
        ] {
            #expect(
                line.hasPrefix("__Host-pando_") && line.contains("; Secure") && line.contains("; Path=/")
                    && !line.contains("Domain="))
        }
    }
}
