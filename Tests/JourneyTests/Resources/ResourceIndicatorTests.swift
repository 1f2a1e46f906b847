import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 8707: a login for services of the federation, and for userinfo beside")
struct ResourceIndicatorTests {
    static let learn = ResourceLogin.learn, quiet = ResourceLogin.quiet, issuer = ResourceLogin.issuer

    // MARK: Which token

    @Test("one service named alone: its token is that, nothing at userinfo; a refresh for the issuer is for userinfo")
    func single() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let tokens = try await login.tokens([Self.quiet])
            let own = try await app.refresh(tokens.refreshToken, resource: Self.issuer)
            let back = try await app.refresh(own.refreshToken)

            #expect(audience(tokens) == Self.quiet && audience(own) == Self.issuer && audience(back) == Self.quiet)
            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await app.userInfo(own.accessToken)["email"] == "ada@example.org")
            #expect(try await login.isActive(tokens.accessToken, at: server.residents.quiet))
            #expect(try await !login.isActive(own.accessToken, at: server.residents.quiet))
        }
    }

    @Test("of several one is named at redemption, and another at refresh; without one it is what it began with")
    func several() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let first = try await login.tokens([Self.learn, Self.quiet], resource: Self.quiet + "/")
            let second = try await app.refresh(first.refreshToken, resource: Self.learn)
            let third = try await app.refresh(second.refreshToken, scope: "openid", resource: Self.issuer)
            let fourth = try await app.refresh(third.refreshToken)

            #expect([first, second, third, fourth].map(audience) == [Self.quiet, Self.learn, Self.issuer, Self.quiet])
            #expect(try await login.isActive(second.accessToken, at: server.residents.learn))
            #expect(try await !login.isActive(second.accessToken, at: server.residents.quiet))
            #expect(try await app.userInfo(third.accessToken).outcome == "200")
            #expect(third["scope"] == "openid" && fourth["scope"] == "openid email")
            #expect(first["id_token"] != nil)
        }
    }

    @Test(
        "of several none is named: with openid, or the issuer among them, it is for userinfo",
        arguments: [
            ([learn, quiet], "openid email"), ([learn, issuer], "openid email"), ([issuer, quiet], "email"),
            ([issuer], "email"), ([learn, learn + "/", issuer + "/"], "openid"),
        ] as [([String], String)])
    func defaultIssuer(_ resources: [String], _ scope: String) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let tokens = try await login.tokens(resources, scope: scope)

            #expect(audience(tokens) == Self.issuer)
            let told = try await login.app.userInfo(tokens.accessToken).outcome
            #expect(told == (scope.contains("openid") ? "200" : "403 insufficient_scope"))
            #expect(try await audience(login.app.refresh(tokens.refreshToken)) == Self.issuer)
        }
    }

    @Test("a resource that comes twice counts once")
    func twice() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let tokens = try await login.tokens([Self.quiet, Self.quiet + "/", Self.quiet.uppercased()])

            #expect(audience(tokens) == Self.quiet)
        }
    }

    // MARK: Refusals

    @Test("none named of several services, without openid, is invalid_target and uses nothing up")
    func ambiguous() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let code = try await login.code([Self.learn, Self.quiet], scope: "email")

            #expect(try await login.app.redeem(code).outcome == "400 invalid_target")
            #expect(try await login.app.redeem(code, resource: Self.issuer).outcome == "400 invalid_target")
            #expect(try await audience(login.app.redeem(code, resource: Self.learn)) == Self.learn)
        }
    }

    @Test(
        "what was not authorized is invalid_target at redemption and at refresh, and uses nothing up",
        arguments: [learn, "https://evil.example", "nonsense", quiet + "?x=1", quiet + "/token"])
    func other(_ resource: String) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), code = try await login.code([Self.quiet])

            let refused = try await login.app.redeem(code, resource: resource)
            #expect(refused.outcome == "400 invalid_target" && refused[header: "Cache-Control"] == "no-store")
            let tokens = try await login.app.redeem(code)
            #expect(
                try await login.app.refresh(tokens.refreshToken, resource: resource).outcome == "400 invalid_target")
            #expect(try await login.app.refresh(tokens.refreshToken).outcome == "200")
        }
    }

    @Test("a login for this server alone gives no token for a service")
    func plain() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), tokens = try await login.tokens([])

            let refused = try await login.app.refresh(tokens.refreshToken, resource: Self.quiet)
            #expect(refused.outcome == "400 invalid_target")
            #expect(try await audience(login.app.refresh(tokens.refreshToken, resource: Self.issuer)) == Self.issuer)
        }
    }

    @Test("two resources in one token request are invalid_target: a token is for one")
    func twoAtOnce() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let code = try await login.code([Self.learn, Self.quiet])
            let form = [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", Phone.verifier),
                ("redirect_uri", Browser.callback), ("resource", Self.learn), ("resource", Self.quiet),
            ]
            #expect(try await server.post("/token", body: form, headers: app.basic).outcome == "400 invalid_target")
            let machine = [
                ("grant_type", "client_credentials"), ("resource", Self.learn), ("resource", Self.quiet),
            ]
            let (id, secret) = server.residents.machine
            #expect(
                try await server.post(
                    "/token", body: machine, headers: WebApp(server: server, id: id, secret: secret).basic
                ).outcome == "400 invalid_target")
            #expect(try await app.redeem(code, resource: Self.learn).outcome == "200", "nothing was used up")
        }
    }

    @Test(
        """
        at /authorize an unknown service, a suspended one, one by its token endpoint and an eleventh are \
        invalid_target, sent to the client
        """,
        arguments: [
            ["https://evil.example"], [quiet, "https://evil.example"], [quiet, "x"],
            [ServerParts.tokenEndpoint],
            (0...10).map { "https://s\($0).example" }, [quiet, String(repeating: "x", count: 3_000)],
        ])
    func refusedRequest(_ resources: [String]) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)

            let answer = try await login.answer(resources)

            #expect(answer["error"] == "invalid_target" && answer["code"] == nil && answer["state"] == "s-1")
            try await login.move("quiet", to: .suspended)
            #expect(try await login.answer([Self.learn, Self.quiet])["error"] == "invalid_target")
        }
    }

    @Test("no other parameter may come twice", arguments: ["scope", "state", "redirect_uri", "Resource"])
    func repeated(_ name: String) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            var draft = login.draft([Self.quiet])
            draft.parameters += [(name, "x"), (name, "x")]

            let reply = try await login.browser.open(.get, draft.path)

            #expect(reply.status == 400 && reply[header: "Location"] == nil)
        }
    }

    @Test("a device gets tokens for this server alone")
    func device() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server)
            func begin(_ resource: String) async throws -> Reply {
                try await server.post("/device_authorization", ["client_id": television.app.id, "resource": resource])
            }
            #expect(try await begin(Self.quiet).outcome == "400 invalid_target")
            let begun = try await begin(Self.issuer)
            _ = try await Television.decide(begun, "allow", browser)
            let refused = try await server.post(
                "/token",
                [
                    "grant_type": Television.grant, "device_code": begun["device_code"],
                    "client_id": television.app.id, "resource": Self.quiet,
                ])
            #expect(refused.outcome == "400 invalid_target")
            server.time.advance(6)
            #expect(try await audience(television.poll(begun)) == Self.issuer)
        }
    }

    // MARK: Ways of asking

    @Test("several are taken from /par, from a form of another site, and as an array from a signed request")
    func ways() async throws {
        try await TestServer.with { server in
            let key = PhoneKey(), browser = Browser(server)
            let app = try await server.webApp(method: .privateKeyJWT, jwks: ["keys": [key.jwk(kid: "k")]])
            let other = try await ResourceLogin(server)
            func page(_ path: String) async throws -> String? {
                let first = try await browser.follow(try await browser.open(.get, path))
                return try await browser.goOn(first, stopsAt: "/consent").page?.body
            }
            let pushed = try await server.post(
                "/par", body: other.draft([Self.learn, Self.quiet]).parameters, headers: other.app.basic)
            let reference = FormCodec.write([("client_id", other.app.id), ("request_uri", pushed["request_uri"] ?? "")])
            var object = JSONObject(AuthorizationDraft(app.id).parameters.map { ($0.0, JSONValue.string($0.1)) })
            for member in [
                "iss": .string(app.id), "aud": .string(ServerParts.root), "exp": .integer(server.now + 300),
                "resource": [.string(Self.learn), .string(Self.quiet)],
            ] as JSONObject { object[member.name] = member.value }
            let jwt = try key.sign(object, header: ["typ": "oauth-authz-req+jwt", "kid": "k"])
            let signed = FormCodec.write([("client_id", app.id), ("request", jwt)])
            let posted = try await browser.open(
                .post, "/authorize", form: other.draft([Self.learn, Self.quiet]).parameters)
            let address = try #require(posted[header: "Location"]?.dropFirst(ServerParts.root.count))

            for path in ["/authorize?\(reference)", "/authorize?\(signed)", String(address)] {
                let body = try #require(try await page(path))
                #expect(body.contains("<bdi>learn</bdi>") && body.contains("<bdi>quiet</bdi>"), "\(path)")
            }
        }
    }

    @Test("in a signed request, what is no text and no array of texts is refused", arguments: ["7", "[]", "[1]", "{}"])
    func signedNonsense(_ value: String) async throws {
        try await TestServer.with { server in
            let key = PhoneKey()
            let app = try await server.webApp(method: .privateKeyJWT, jwks: ["keys": [key.jwk(kid: "k")]])
            var object = JSONObject(AuthorizationDraft(app.id).parameters.map { ($0.0, JSONValue.string($0.1)) })
            for member in [
                "iss": .string(app.id), "aud": .string(ServerParts.root), "exp": .integer(server.now + 300),
                "resource": try JSONReader.read(Array(value.utf8)),
            ] as JSONObject { object[member.name] = member.value }
            let jwt = try key.sign(object, header: ["typ": "oauth-authz-req+jwt", "kid": "k"])

            let place = try await Browser(server).follow(
                try await Browser(server).open(
                    .get, "/authorize?" + FormCodec.write([("client_id", app.id), ("request", jwt)])))

            #expect(place.answer["error"] == "invalid_request" && place.answer["code"] == nil)
        }
    }
}
