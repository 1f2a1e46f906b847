import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("RFC 6749, 6: refresh over HTTP", .server)
struct RefreshJourneyTests {
    @Test("every refreshable token gives the next pair of its family")
    func kinds() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let service = try await phone.redeem(assertion: phone.assertion(pat)),
            app = try await phone.authorizeApp(service)

        for (token, path) in [(phone.instance, "/token"), (pat, "/token"), (service, "/services/learn/token")] {
            let next = try await phone.refresh(token.refreshToken, at: path)
            #expect(next.outcome == "200" && next.jti != token.jti && next.refreshToken != token.refreshToken)
            #expect(claims(of: next.accessToken)["sub"] == claims(of: token.accessToken)["sub"])
        }
        // The app brought no key, so it names itself.
        let next = try await phone.server.post(
            "/services/learn/token",
            ["grant_type": "refresh_token", "refresh_token": app.refreshToken, "client_id": Phone.bundle])
        #expect(
            next.outcome == "200" && next.json["token_type"] == "Bearer" && next["scope"] == ServerParts.viewerScope)
        let nobody = try await phone.server.post(
            "/services/learn/token", ["grant_type": "refresh_token", "refresh_token": next.refreshToken])
        #expect(nobody.outcome == "400 invalid_grant")
    }

    @Test("the access token from before a rotation lives on")
    func before() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let next = try await phone.refresh(pat.refreshToken)

        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
        #expect(try await phone.get("/userinfo", token: next.accessToken).outcome == "200")
    }

    @Test("without proof, by another key, for another client or at another realm it is refused, and nothing ends")
    func holder() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn(), thief = try await Phone.registered(in: server)
        func post(_ headers: HTTPFields, client: String? = nil, path: String = "/token") async throws -> Reply {
            try await server.post(
                path, ["grant_type": "refresh_token", "refresh_token": pat.refreshToken, "client_id": client],
                headers: headers)
        }

        #expect(try await post([:]).outcome == "400 invalid_grant")
        #expect(try await post(thief.dpop(.post, "/token")).outcome == "400 invalid_grant")
        #expect(try await post(phone.dpop(.post, "/token"), client: thief.clientID).outcome == "400 invalid_grant")
        #expect(
            try await post(phone.dpop(.post, "/services/learn/token"), path: "/services/learn/token").outcome
                == "400 invalid_grant")
        #expect(try await post(phone.dpop(.post, "/token"), client: phone.clientID).outcome == "200")
        #expect(try await post(thief.dpop(.post, "/token")).outcome == "400 invalid_grant")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
    }

    @Test("what is no refresh token", arguments: ["", "unknown", String(repeating: "A", count: 70)])
    func unknown(_ text: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        #expect(try await phone.refresh(text).outcome == (text.isEmpty ? "400 invalid_request" : "400 invalid_grant"))
    }

    @Test("a lost answer may be asked for again; when ten seconds are over, reuse ends all that came of it")
    func reuse() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let first = try await phone.refresh(pat.refreshToken)
            #expect(try await phone.get("/userinfo", token: first.accessToken).outcome == "200")

            server.time.advance(10)
            let again = try await phone.refresh(pat.refreshToken)
            #expect(again.refreshToken == first.refreshToken && again.jti == first.jti)
            server.time.advance(1)
            let reused = try await phone.refresh(pat.refreshToken)

            #expect(
                reused.outcome == "400 invalid_grant" && reused["error_description"]?.contains("used before") == true)
            #expect(try await phone.get("/userinfo", token: first.accessToken).outcome == "401 invalid_token")
            #expect(try await phone.refresh(first.refreshToken).outcome == "400 invalid_grant")
            #expect(try await phone.logInForCode().outcome == "200")
        }
    }

    @Test(
        "an outage longer than the grace window logs no phone out, and no thief without its key in",
        arguments: [60, 31 * 86_400.0])
    func outage(_ seconds: TimeInterval) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                thief = try await Phone.registered(in: server)
            let lost = try await phone.refresh(pat.refreshToken)
            // As a server leaves it that ends behind the commit.
            await server.parts.store.settle()
            _ = try await server.database.execute(
                "update family set answered_at = 'infinity' where child = \(try #require(NodeID(lost.jti)))")

            server.time.advance(seconds)
            let stolen = try await server.post(
                "/token", ["grant_type": "refresh_token", "refresh_token": pat.refreshToken],
                headers: thief.dpop(.post, "/token"))
            let again = try await phone.refresh(pat.refreshToken)

            #expect(stolen.outcome == "400 invalid_grant")
            #expect(
                again.outcome == "200" && again.refreshToken == lost.refreshToken
                    && (again.jti == lost.jti) == (seconds < 30 * 86_400))
            #expect(
                again.json["expires_in"] == .integer(seconds < 30 * 86_400 ? 30 * 86_400 - Int(seconds) : 30 * 86_400))
            #expect(try await phone.get("/userinfo", token: again.accessToken).outcome == "200")
            server.time.advance(11)
            #expect(try await phone.refresh(pat.refreshToken)["error_description"]?.contains("used before") == true)
        }
    }

    @Test(
        "the token before has ten seconds from the answer, whatever must be shown with it",
        arguments: ["app", "public", "confidential", "instance", "upgrade"])
    func answered(_ kind: String) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            let web = try await server.webApp(method: kind == "public" ? .none : .basic)
            let token =
                switch kind {
                case "app": try await phone.authorizeApp(try await phone.joinService())
                case "instance", "upgrade": phone.instance
                default: try await web.logIn(Browser(server))
                }
            func refresh() async throws -> Reply {
                switch kind {
                case "app":
                    try await server.post(
                        "/services/learn/token",
                        ["grant_type": "refresh_token", "refresh_token": token.refreshToken, "client_id": Phone.bundle])
                case "instance", "upgrade": try await phone.refresh(token.refreshToken)
                default: try await web.refresh(token.refreshToken)
                }
            }

            let upgrade = RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
            let first =
                kind == "upgrade"
                ? try await upgrade.send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken))
                : try await refresh()
            server.time.advance(10)
            let inTime = try await refresh()
            server.time.advance(1)
            let late = try await refresh()

            #expect(first.outcome == "200" && inTime.refreshToken == first.refreshToken)
            #expect(late.outcome == "400 invalid_grant")
        }
    }

    @Test("a retry gets the scope of the first answer: another is invalid_scope, uses nothing and ends nothing")
    func retriedScope() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server))
        let first = try await app.refresh(tokens.refreshToken, scope: "openid")

        let wider = try await app.refresh(tokens.refreshToken),
            other = try await app.refresh(tokens.refreshToken, scope: "openid email")
        let again = try await app.refresh(tokens.refreshToken, scope: "openid")

        #expect([wider, other].map(\.outcome) == ["400 invalid_scope", "400 invalid_scope"])
        #expect(again.outcome == "200" && again.jti == first.jti && again["scope"] == "openid")
        #expect(
            try await app.refresh(first.refreshToken)["scope"] == "openid profile email",
            "the refresh token keeps its own")
    }

    // What the database settles is asked 200 times in TokenTreeTests (RefreshTests), without ten thousand requests.
    @Test("50 that refresh at once get one child: 20 rounds")
    func race() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        var text = try await phone.logIn().refreshToken
        for round in 0..<20 {
            let shown = text

            let replies = try await crowd(50) { _ in try await phone.refresh(shown) }

            #expect(replies.allSatisfy { $0.outcome == "200" }, "round \(round)")
            #expect(Set(replies.map(\.jti)).count == 1 && Set(replies.map(\.refreshToken)).count == 1, "round \(round)")
            text = replies[0].refreshToken
        }
    }
}
