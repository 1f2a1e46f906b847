import Base
import Foundation
import Registration
import TestSupport
import Testing

@Suite("OpenID Connect Core, 3.1.2.1: scopes that are not registered are left out")
struct NarrowedScopeTests {
    private static let wide = "openid phone email https://api.example/all"

    private func request(_ app: WebApp, scope: String) -> [(String, String)] {
        AuthorizationDraft(app.id, scope: scope).parameters
    }

    @Test("at /authorize, and the page does not name them; the answer's scope says what was given")
    func authorized() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: "openid email"), browser = Browser(server)
            let draft = AuthorizationDraft(app.id, scope: Self.wide)
            let first = try await browser.follow(try await browser.open(.get, draft.path))
            let page = try #require(try await browser.goOn(first, stopsAt: "/consent").page)
            let place = try await browser.goOn(.page(page))

            let tokens = try await app.redeem(place.answer["code"])

            #expect(!page.body.contains("api.example") && !page.body.contains("<bdi>phone</bdi>"))
            #expect(tokens.outcome == "200" && tokens["scope"] == "openid email")
            #expect(claims(of: tokens.accessToken)["scope"] == "openid email")
            let again = try await browser.follow(try await browser.open(.get, draft.path))
            #expect(again.answer["code"] != nil, "what was left out is not asked again")
        }
    }

    @Test("pushed, in a request object and for a device")
    func elsewhere() async throws {
        try await TestServer.with { server in
            let key = PhoneKey()
            let app = try await server.webApp(scope: "openid email")
            let pushed = try await server.post(
                "/par", body: request(app, scope: Self.wide), headers: app.basic)
            let asked = FormCodec.write([("client_id", app.id), ("request_uri", pushed["request_uri"] ?? "")])
            let browser = Browser(server)
            let place = try await browser.goOn(
                try await browser.follow(try await browser.open(.get, "/authorize?\(asked)")))
            #expect(try await app.redeem(place.answer["code"])["scope"] == "openid email")

            let signer = try await server.webApp(
                method: .privateKeyJWT, scope: "openid email", jwks: ["keys": [key.jwk(kid: "k")]])
            var object = JSONObject(request(signer, scope: Self.wide).map { ($0.0, JSONValue.string($0.1)) })
            object["iss"] = .string(signer.id)
            object["aud"] = .string(ServerParts.root)
            object["exp"] = .integer(server.now + 300)
            let jwt = try key.sign(object, header: ["typ": "oauth-authz-req+jwt", "kid": "k"])
            let signed = FormCodec.write([("client_id", signer.id), ("request", jwt)])
            let answer = try await browser.goOn(
                try await browser.follow(try await browser.open(.get, "/authorize?\(signed)"))
            ).answer
            #expect(answer["code"] != nil && answer["error"] == nil)

            let television = try await Television(in: server, scope: "openid email")
            let begun = try await television.begin(["scope": Self.wide])
            _ = try await Television.decide(begun, "allow", browser)
            #expect(try await television.poll(begun)["scope"] == "openid email")
        }
    }

    @Test("where nothing is left it is invalid_scope: who asked gets no more than that")
    func nothing() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: "openid email"), browser = Browser(server)
            let television = try await Television(in: server, scope: "openid email")

            let place = try await browser.signIn(AuthorizationDraft(app.id, scope: "phone address"))
            let pushed = try await server.post("/par", body: request(app, scope: "phone"), headers: app.basic)

            #expect(place.answer["error"] == "invalid_scope" && place.answer["code"] == nil)
            #expect(pushed.outcome == "400 invalid_scope")
            #expect(try await television.begin(["scope": "phone"]).outcome == "400 invalid_scope")
        }
    }

    @Test("without scope it is all that is registered, and the answer says so")
    func unasked() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: "openid email")
            let place = try await Browser(server).signIn(AuthorizationDraft(app.id, changes: ["scope": nil]))

            #expect(try await app.redeem(place.answer["code"])["scope"] == "openid email")
        }
    }

    @Test("a scope that the client is registered for while the page is shown is not given with it")
    func meanwhile() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: "openid"), browser = Browser(server)
            let first = try await browser.follow(
                try await browser.open(.get, AuthorizationDraft(app.id, scope: "openid email").path))
            let page = try #require(try await browser.goOn(first, stopsAt: "/consent").page)

            _ = try await server.database.execute("update client set scope = 'openid email' where id = \(app.id)")
            let place = try await browser.follow(try await browser.submit(page, ["decision": "allow"]))

            #expect(try await app.redeem(place.answer["code"])["scope"] == "openid")
        }
    }

    @Test("nor is it where the client was registered for none, whether by address or pushed, and a second time too")
    func meanwhileOfNone() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: ""), browser = Browser(server)
            let draft = AuthorizationDraft(app.id, changes: ["scope": nil, "prompt": "consent"])
            let pushed = try await server.post("/par", body: draft.parameters, headers: app.basic)
            let uri = try #require(pushed["request_uri"], "\(pushed.body)")
            let paths = [draft.path, "/authorize?" + FormCodec.write([("client_id", app.id), ("request_uri", uri)])]

            for path in paths {
                let first = try await browser.follow(try await browser.open(.get, path))
                let page = try #require(try await browser.goOn(first, stopsAt: "/consent").page)
                _ = try await server.database.execute(
                    "update client set scope = 'openid email' where id = \(app.id)")
                let place = try await browser.follow(try await browser.submit(page, ["decision": "allow"]))

                let tokens = try await app.redeem(place.answer["code"])
                #expect(
                    tokens.outcome == "200" && (tokens["scope"] ?? "").isEmpty && tokens["id_token"] == nil, "\(path)")
                let agreed: [String] = try await server.database.value(
                    "select scopes from consent where client = \(app.id)")
                #expect(agreed.isEmpty, "\(path)")
                _ = try await server.database.execute("update client set scope = '' where id = \(app.id)")
            }
        }
    }

    @Test("a refresh and a machine ask for no more than they have, as before (RFC 6749, 6 and 4.4)")
    func elsewhereRefused() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(
                scope: "openid email", grants: ["authorization_code", "refresh_token", "client_credentials"])
            let tokens = try await app.logIn(Browser(server), scope: "openid phone")

            #expect(tokens["scope"] == "openid")
            #expect(try await app.refresh(tokens.refreshToken, scope: "openid email").outcome == "400 invalid_scope")
            #expect(try await app.refresh(tokens.refreshToken, scope: "openid phone").outcome == "400 invalid_scope")
            let machine = try await server.post(
                "/token", ["grant_type": "client_credentials", "scope": "email phone"], headers: app.basic)
            #expect(machine.outcome == "400 invalid_scope")
        }
    }
}
