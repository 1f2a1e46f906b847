import Base
import Foundation
import HTTPTypes
import Keys
import OAuth
import TestSupport
import Testing

@Suite("Logout (OpenID Connect RP-Initiated and Back-Channel Logout)")
struct WebLogoutTests {
    private static let after = "https://rp.example.org/bye", channel = "https://rp.example.org/backchannel"

    private func app(_ server: TestServer) async throws -> WebApp {
        try await server.webApp {
            ($0.postLogoutRedirectURIs, $0.backchannelLogoutURI) = ([WebLogoutTests.after], WebLogoutTests.channel)
        }
    }

    @Test("an application with the session's ID token logs out at once and gets its person back, with state")
    func byApplication() async throws {
        try await TestServer.with { server in
            let app = try await app(server), browser = Browser(server), tokens = try await app.logIn(browser)
            let query = FormCodec.write([
                ("id_token_hint", tokens["id_token"] ?? ""), ("post_logout_redirect_uri", WebLogoutTests.after),
                ("state", "a b"),
            ])

            let place = try await browser.follow(try await browser.open(.get, "/logout?\(query)"))

            guard case .outside(let url) = place else {
                Issue.record("\(place)")
                return
            }
            #expect(url == "\(WebLogoutTests.after)?state=a%20b")
            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(await browser.cookies["pando_session"] == nil)
        }
    }

    @Test(
        "without that token the person is asked; an address that is not registered is never followed",
        arguments: ["https://evil.example/", after + "/more", "javascript:alert(1)"])
    func asked(_ address: String) async throws {
        try await TestServer.with { server in
            let app = try await app(server), browser = Browser(server), tokens = try await app.logIn(browser)
            let hint = try await app.logIn(Browser(server))["id_token"] ?? ""

            let page = try await browser.open(
                .get, "/logout?" + FormCodec.write([("id_token_hint", hint), ("post_logout_redirect_uri", address)]))
            #expect(page.status == 200 && page.body.contains("form_token"))
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
            let done = try await browser.submit(page, ["decision": "logout"])

            #expect(done.status == 200 && done[header: "Location"] == nil && !done.body.contains("evil.example"))
            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test("a form of an application becomes a GET, which brings the cookies; a form without our token logs nobody out")
    func foreignForm() async throws {
        try await TestServer.with { server in
            let app = try await app(server), browser = Browser(server), tokens = try await app.logIn(browser)

            let first = try await browser.open(
                .post, "/logout", form: [("client_id", app.id), ("decision", "logout")],
                headers: [.origin: "https://rp.example.org"])
            let forged = try await browser.open(
                .post, "/logout", form: [("form_token", "guess"), ("decision", "logout")])

            #expect(
                first.status == 303 && first[header: "Location"] == "\(ServerParts.root)/logout?client_id=\(app.id)")
            #expect(forged.status == 403)
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
        }
    }

    @Test(
        "every application of the session is told by a logout token, whoever ends the session",
        arguments: ["logout", "account page", "suspension"])
    func backChannel(_ how: String) async throws {
        try await TestServer.with { server in
            let first = try await app(server), second = try await app(server),
                silent = try await server.webApp("Silent"), browser = Browser(server)
            let tokens = try await first.logIn(browser)
            for other in [second, silent] { _ = try await other.logIn(browser) }
            let told = claims(of: tokens["id_token"] ?? "")

            switch how {
            case "logout":
                _ = try await browser.submit(try await browser.open(.get, "/logout"), ["decision": "logout"])
            case "account page":
                let form = try await server.formToken(browser, at: "/account")
                _ = try await browser.open(
                    .post, "/account/end", form: [("form_token", form), ("session", told["sid"]?.string ?? "")])
            default:
                let id =
                    try await server.database.query("select id::text as id from account where username = 'ada'").first
                    .map { try $0("id") as String } ?? ""
                try await server.parts.revocation.revoke(.virtual(.init(.account, id)), by: .server)
            }
            try await server.sendLogouts()

            let sent = server.wire.pushes.filter { $0.url == WebLogoutTests.channel }.compactMap {
                try? FormCodec.read($0.body.utf8)["logout_token"]
            }
            let names = try sent.map { try JWT($0).string("jti") ?? "" }
            #expect(Set(names).count == 2 && names.allSatisfy { $0.wholeMatch(of: #/[A-Za-z0-9_-]{22}/#) != nil })
            for text in sent {
                let jwt = try JWT(text)
                #expect(try await server.parts.keys.verify(jwt) && jwt.type == "logout+jwt")
                #expect(
                    jwt["events"]?["http://schemas.openid.net/event/backchannel-logout"] != nil && jwt["nonce"] == nil
                        && jwt["exp"] != nil)
                #expect(
                    jwt.string("sid") == told["sid"]?.string && jwt.string("sub") == told["sub"]?.string
                        && [first.id, second.id].contains(jwt.string("aud") ?? ""))
            }
        }
    }

    @Test(
        "a client that does not answer is tried again, one that refuses is not, and one that took it is not told twice")
    func retried() async throws {
        try await TestServer.with { server in
            let app = try await app(server), browser = Browser(server)
            _ = try await app.logIn(browser)
            _ = try await browser.submit(try await browser.open(.get, "/logout"), ["decision": "logout"])

            server.wire.refusePushes(503)
            try await server.sendLogouts()
            server.time.advance(10)
            server.wire.refusePushes(200)
            try await server.sendLogouts()
            server.time.advance(10)
            try await server.sendLogouts()

            #expect(server.wire.pushes.filter { $0.url == WebLogoutTests.channel }.map(\.status) == [503, 200])
        }
    }
}
