import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Login in a browser (RFC 6749, 4.1; OpenID Connect Core, 3.1)", .server)
struct WebLoginTests {
    @Test("a person logs in, agrees once, and the application gets tokens and claims")
    func wholeLogin() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)

        let place = try await browser.signIn(AuthorizationDraft(app.id))
        let tokens = try await app.redeem(place.answer["code"])

        #expect(place.answer["state"] == "s-1" && place.answer["iss"] == ServerParts.root)
        #expect(tokens.outcome == "200")
        let idToken = claims(of: tokens["id_token"] ?? ""), access = claims(of: tokens.accessToken)
        #expect(
            idToken["iss"] == .string(ServerParts.root) && idToken["aud"] == .string(app.id)
                && idToken["nonce"] == "n-1")
        #expect(
            idToken["acr"] == "https://refeds.org/profile/sfa" && idToken["amr"] == ["pwd"]
                && idToken["auth_time"]?.integer == server.now)
        #expect(idToken["at_hash"]?.string == Base64URL.encode(Digest.sha256(tokens.accessToken).prefix(16)))
        #expect(idToken["sid"]?.string != nil && idToken["sub"] == access["sub"])
        let info = try await app.userInfo(tokens.accessToken)
        #expect(info.json["sub"] == idToken["sub"] && info["email"] == "ada@example.org" && info["name"] == "Ada")
        #expect(info["preferred_username"] == "ada" && info.json["email_verified"] == false)
    }

    @Test("the second application asks for consent, not for the password; the first asks for nothing any more")
    func singleSignOn() async throws {
        let server = try TestServer.ofSuite, first = try await server.webApp("One"),
            second = try await server.webApp("Two"), browser = Browser(server)
        _ = try await first.logIn(browser)

        let page = try await browser.follow(try await browser.open(.get, AuthorizationDraft(second.id).path)).page
        let again = try await browser.follow(try await browser.open(.get, AuthorizationDraft(first.id).path))

        #expect(page?.body.contains("name=\"decision\"") == true && page?.body.contains("type=\"password\"") == false)
        #expect(again.answer["code"] != nil)
    }

    @Test("pairwise subjects: two sectors know one person by two names, one sector by one")
    func pairwise() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        let elsewhere = "https://other.example.org/callback"
        let one = try await server.webApp(), same = try await server.webApp(),
            other = try await server.webApp(redirectURIs: [elsewhere])
        let open = try await server.webApp { $0.subjectType = .public }

        var subjects: [String] = []
        for (app, callback) in [
            (one, Browser.callback), (same, Browser.callback), (other, elsewhere), (open, Browser.callback),
        ] {
            let place = try await browser.signIn(AuthorizationDraft(app.id, redirectURI: callback))
            let tokens = try await app.redeem(place.answer["code"], redirectURI: callback)
            subjects.append(claims(of: tokens["id_token"] ?? "")["sub"]?.string ?? "")
        }

        #expect(subjects[0] == subjects[1] && Set(subjects).count == 3)
        #expect(UUID(uuidString: subjects[3]) != nil)
    }

    @Test("prompt=none answers by redirect: login_required, consent_required, then a code")
    func silent() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let silent = AuthorizationDraft(app.id, changes: ["prompt": "none"])

        let stranger = try await browser.follow(try await browser.open(.get, silent.path))
        _ = try await browser.signIn(AuthorizationDraft(try await server.webApp("Other").id))
        let known = try await browser.follow(try await browser.open(.get, silent.path))
        _ = try await app.logIn(browser)
        let agreed = try await browser.follow(try await browser.open(.get, silent.path))

        #expect(
            stranger.answer["error"] == "login_required" && known.answer["error"] == "consent_required"
                && agreed.answer["code"] != nil)
    }

    @Test(
        "prompt=login, select_account and an old login ask for the password again; a fresh one does not",
        arguments: [("prompt", "login"), ("prompt", "select_account"), ("max_age", "60")])
    func again(_ name: String, _ value: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            _ = try await app.logIn(browser)
            server.time.advance(120)

            var draft = AuthorizationDraft(app.id)
            draft.set(name, value)
            let page = try await browser.follow(try await browser.open(.get, draft.path))

            #expect(page.page?.body.contains("type=\"password\"") == true)
            let answer = try await browser.goOn(page).answer
            #expect(answer["code"] != nil)
            #expect(
                claims(of: try await app.redeem(answer["code"])["id_token"] ?? "")["auth_time"]?.integer == server.now)
        }
    }

    @Test("an essential acr that nobody reaches is refused, a wished one is not")
    func essentialLevel() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let mfa = "https://refeds.org/profile/mfa"
        let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(mfa)\"}}}"

        let refused = try await browser.signIn(AuthorizationDraft(app.id, changes: ["claims": essential]))
        let wished = try await browser.signIn(AuthorizationDraft(app.id, changes: ["acr_values": mfa]))

        #expect(refused.answer["error"] == "unmet_authentication_requirements" && wished.answer["code"] != nil)
    }

    @Test("a person who says no sends access_denied; a used request cannot be answered again")
    func denied() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        _ = try await browser.signIn(AuthorizationDraft(try await server.webApp("Other").id))
        let page = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)

        let denied = try await browser.follow(try await browser.submit(page, ["decision": "deny"]))
        let twice = try await browser.submit(page, ["decision": "allow"])

        #expect(denied.answer["error"] == "access_denied" && denied.answer["state"] == "s-1")
        #expect(twice.status == 400)
    }

    @Test("the claims parameter adds single claims; a policy of the operator bounds everything")
    func claimsParameter() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let asked =
            "{\"id_token\":{\"email\":null},\"userinfo\":{\"name\":null,\"preferred_username\":{\"essential\":true}}}"

        let place = try await browser.signIn(AuthorizationDraft(app.id, scope: "openid", changes: ["claims": asked]))
        let tokens = try await app.redeem(place.answer["code"])

        #expect(claims(of: tokens["id_token"] ?? "")["email"] == "ada@example.org")
        let info = try await app.userInfo(tokens.accessToken)
        #expect(info["name"] == "Ada" && info["email"] == nil && info["preferred_username"] == "ada")
    }

    @Test(
        "pages speak the browser's language; ui_locales goes before it",
        arguments: [
            ("de", "", "de"), ("fr-CH, en;q=0.5", "", "fr"), ("", "it", "it"), ("de", "fr", "fr"), ("xx", "", "en"),
        ])
    func languages(_ accept: String, _ locales: String, _ expected: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        var draft = AuthorizationDraft(app.id)
        if !locales.isEmpty { draft.set("ui_locales", locales) }

        let first = try await browser.open(.get, draft.path, headers: [.acceptLanguage: accept])
        let page = try await browser.open(
            .get, String((first[header: "Location"] ?? "").dropFirst(ServerParts.root.count)),
            headers: [.acceptLanguage: accept])

        #expect(page.body.contains("<html lang=\"\(expected)\""))
    }

    @Test("POST to the authorization endpoint is taken too, as OpenID Connect wants")
    func byForm() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)

        let place = try await browser.follow(
            try await browser.open(
                .post, "/authorize", form: AuthorizationDraft(app.id).parameters,
                headers: [.origin: "https://rp.example.org"]))

        #expect(try await browser.goOn(place).answer["code"] != nil)
    }

    @Test("a login hint fills in the name; an ID token hint of somebody else asks for another login")
    func hints() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let hint = try await app.logIn(Browser(server), as: "bob")["id_token"] ?? ""

        let named = try await browser.follow(
            try await browser.open(.get, AuthorizationDraft(app.id, changes: ["login_hint": "carla"]).path)
        ).page
        _ = try await app.logIn(browser)
        let wrong = try await browser.signIn(AuthorizationDraft(app.id, changes: ["id_token_hint": hint]))
        let right = try await Browser(server).signIn(
            AuthorizationDraft(app.id, changes: ["id_token_hint": hint]), as: "bob")
        let later = try await server.parts.keys.sign(
            type: "JWT", claims: claims(of: hint).with(["nbf": .integer(server.now + 61)]))
        let early = try await browser.signIn(AuthorizationDraft(app.id, changes: ["id_token_hint": later]))

        #expect(named?.body.contains("value=\"carla\"") == true)
        #expect(wrong.answer["error"] == "login_required" && right.answer["code"] != nil)
        #expect(early.answer["error"] == "invalid_request", "a hint that has not begun")
    }

    @Test("an account that asks for a second factor is told so where none is on, and gets nothing")
    func secondFactor() async throws {
        try await TestServer.with(options: TestServerOptions(hasFactors: false)) { server in
            let app = try await server.webApp(), browser = Browser(server)

            let place = try await browser.signIn(AuthorizationDraft(app.id), as: "carol")

            #expect(place.answer["error"] == "unmet_authentication_requirements" && place.answer["code"] == nil)
        }
    }
}
