import Base
import Foundation
import TestSupport
import Testing

@Suite("Logout by an institution's provider (OpenID Connect Back-Channel Logout 1.0)", .server)
struct UpstreamLogoutTests {
    /// Somebody who logged in there, and the tokens that an application got then.
    private func loggedIn(
        _ provider: FakeProvider, sid: String
    ) async throws -> (browser: Browser, app: WebApp, token: String) {
        let server = provider.server, app = try await server.webApp(), browser = Browser(server)
        _ = try await provider.logIn(
            browser, subject: "s", ["sid": .string(sid), "preferred_username": .string("sam-\(provider.id)")])
        let place = try await browser.goOn(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)))
        return (browser, app, try await app.redeem(place.answer["code"]).accessToken)
    }

    @Test("a session that ends there ends here, with all that was opened in it, and no other does")
    func cuts() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        let (browser, app, token) = try await loggedIn(provider, sid: "one")
        let (other, _, _) = try await loggedIn(provider, sid: "two")
        let before = try await app.userInfo(token)

        let reply = try await provider.logOut(["sid": "one"])
        let after = try await app.userInfo(token)
        let pages = [try await browser.open(.get, "/account"), try await other.open(.get, "/account")]

        #expect(before.status == 200 && reply.status == 200 && reply[header: "Cache-Control"] == "no-store")
        #expect(after.outcome == "401 invalid_token")
        #expect(pages.map(\.status) == [303, 200])
    }

    @Test("without a session it names all of the person")
    func bySubject() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        let (one, _, _) = try await loggedIn(provider, sid: "one"),
            (two, _, _) = try await loggedIn(provider, sid: "two")

        let reply = try await provider.logOut(["sub": "s"])
        let pages = [try await one.open(.get, "/account"), try await two.open(.get, "/account")]

        #expect(reply.status == 200 && pages.map(\.status) == [303, 303])
    }

    static let spoilt: [JSONObject] = [
        ["iss": "https://evil.example"], ["aud": "another"], ["iat": .null], ["iat": 1_700_000_000],
        ["exp": 1_700_000_000], ["jti": .null], ["jti": ""], ["events": .null], ["events": ["urn:other": [:]]],
        ["nonce": "n"], ["sid": .null, "sub": .null], ["sid": ""], ["nbf": 4_000_000_000],
    ]

    @Test("a token that is not as it must be ends nothing", arguments: spoilt)
    func refused(_ changes: JSONObject) async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        let (browser, _, _) = try await loggedIn(provider, sid: "one")

        var claims = changes
        if claims["sid"] == nil { claims["sid"] = "one" }
        let reply = try await provider.logOut(claims)

        #expect(reply.outcome == "400 invalid_request" && reply[header: "Cache-Control"] == "no-store")
        #expect(try await browser.open(.get, "/account").status == 200)
    }

    @Test("an ID token, a forged one, one that comes twice and none at all are refused")
    func more() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        let path = "/upstream/\(provider.id)/backchannel-logout", jti: JSONObject = ["sid": "one", "jti": "once"]
        _ = try await loggedIn(provider, sid: "one")

        let typed = try await provider.logOut(["sid": "one"], type: "at+jwt")
        let first = try await provider.logOut(jti), second = try await provider.logOut(jti)
        let forged = try await server.post(path, ["logout_token": try PhoneKey().sign(["sid": "one"])])
        let none = try await server.post(path, [:]), garbage = try await server.post(path, ["logout_token": "x"])
        let nobody = try await server.post("/upstream/nobody/backchannel-logout", ["logout_token": "a.b.c"])

        #expect(typed.outcome == "400 invalid_request" && forged.outcome == "400 invalid_request")
        #expect(first.status == 200 && second.outcome == "400 invalid_request")
        #expect(none.outcome == "400 invalid_request" && garbage.outcome == "400 invalid_request")
        #expect(nobody.outcome == "404 not_found")
    }

    @Test("a provider that is away is 503, and is left alone by a flood of tokens")
    func flood() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server)
        provider.goAway()

        let replies = [try await provider.logOut(["sid": "one"]), try await provider.logOut(["sid": "two"])]

        #expect(replies.map(\.status) == [503, 503] && replies.allSatisfy { $0[header: "Retry-After"] != nil })
        #expect(provider.refusals == 2, "both of its addresses, once")
    }

    @Test("a provider speaks for its own people and for no other's")
    func foreign() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        let other = try await FakeProvider(server), (browser, _, _) = try await loggedIn(provider, sid: "one")

        let reply = try await other.logOut(["sid": "one", "sub": "s"])

        #expect(reply.status == 200)
        #expect(try await browser.open(.get, "/account").status == 200)
    }

    @Test("who logs out here is offered to log out there")
    func farewell() async throws {
        let server = try TestServer.ofSuite, provider = try await FakeProvider(server, options: ["create": true])
        provider.change(metadata: ["end_session_endpoint": .string("\(provider.issuer)/end")])
        let (browser, _, _) = try await loggedIn(provider, sid: "one")

        let page = try await browser.submit(try await browser.open(.get, "/logout"), ["decision": "logout"])

        #expect(page.status == 200 && page.body.contains("href=\"\(provider.issuer)/end?client_id=pando\""))
        #expect(page.body.contains("Log out at University \(provider.id) too"))
    }
}
