import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Issue 15: what happens between a web client's code and its redemption.
@Suite("A code that waits ends with what it stands on (RFC 6749, 4.1.3)", .server)
struct WebCodeHeldTests {
    private func code(_ app: WebApp, _ browser: Browser) async throws -> String? {
        try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]
    }

    private func withdraw(_ app: WebApp, _ browser: Browser) async throws -> Reply {
        let form = try await app.server.formToken(browser, at: "/account")
        return try await browser.open(.post, "/account/withdraw", form: [("form_token", form), ("client", app.id)])
    }

    @Test(
        "consent withdrawn, a scope, the redirect URI or the grant taken away: the code gives nothing",
        arguments: [
            ("scope = 'openid profile'", "400 invalid_grant"),
            ("redirect_uris = '{https://rp.example.org/other}'", "400 invalid_grant"),
            ("grant_types = '{refresh_token}'", "400 unauthorized_client"), ("", "400 invalid_grant"),
        ])
    func narrowed(_ change: String, _ expected: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let code = try #require(try await code(app, browser))

        if change.isEmpty {
            #expect(try await withdraw(app, browser).status == 303)
        } else {
            _ = try await server.database.execute("update client set \(raw: change) where id = \(app.id)")
        }

        #expect(try await app.redeem(code).outcome == expected)
    }

    @Test("withdrawing while the application logs in by what was agreed before: no code lives afterwards: 40 rounds")
    func race() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        for round in 0..<40 {
            _ = try await app.logIn(browser)

            async let withdrawn = withdraw(app, browser)
            async let answered = browser.open(.get, AuthorizationDraft(app.id, changes: ["prompt": "none"]).path)
            let (done, answer) = try await (withdrawn, answered)

            #expect(done.status == 303, "round \(round)")
            guard case .outside(let url) = try await browser.follow(answer) else { continue }
            let code = Browser.Place.outside(url).answer["code"]
            guard let code else { continue }
            #expect(try await app.redeem(code).outcome == "400 invalid_grant", "round \(round)")
        }
    }
}
