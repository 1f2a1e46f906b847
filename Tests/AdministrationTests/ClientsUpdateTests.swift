import Administration
import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("clients update")
struct ClientsUpdateTests {
    private static let other = "https://other.example.org/callback"

    private func update(_ server: TestServer, _ id: String, _ changes: JSONObject) async throws -> JSONObject {
        var arguments = changes
        arguments["id"] = .string(id)
        return try await server.object("clients update", arguments)
    }

    private func refusal(_ server: TestServer, _ id: String, _ changes: JSONObject) async throws -> AdminFailure.Code? {
        var arguments = changes
        arguments["id"] = .string(id)
        return try await server.refusal("clients update", arguments)
    }

    @Test("what is named takes the place of what was, what is not named stays; names of what changed are audited")
    func changed() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp()

            let result = try await update(
                server, app.id,
                [
                    "name": "Other", "redirect_uri": [.string(Self.other)], "require_par": true, "dpop_bound": true,
                    "post_logout_redirect_uri": ["https://other.example.org/bye"],
                    "backchannel_logout_uri": "https://other.example.org/logout",
                ])
            let back = try await update(server, app.id, ["require_par": false, "backchannel_logout_uri": ""])

            #expect(
                result["changed"]?.strings == [
                    "backchannel_logout_uri", "client_name", "dpop_bound_access_tokens", "post_logout_redirect_uris",
                    "redirect_uris", "require_pushed_authorization_requests",
                ])
            #expect(result["grant_types"] == ["authorization_code", "refresh_token"])
            #expect(back["redirect_uris"] == [.string(Self.other)] && back["dpop_bound_access_tokens"] == true)
            #expect(back["backchannel_logout_uri"] == nil)
            let detail: String = try await server.database.value(
                "select detail::text from audit where action = 'clients.update' order by id limit 1")
            #expect(detail.contains("client_name") && !detail.contains("Other"))
        }
    }

    @Test("a scope or grant that is taken away ends the refresh tokens that need it; a dry run tells, and ends none")
    func ended() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let tokens = try await app.logIn(browser)
            let narrow: JSONObject = ["scope": ["openid", "profile"]]

            let other = try await update(server, app.id, ["redirect_uri": [.string(Browser.callback + "/b")]])
            var dry = narrow
            dry["dry_run"] = true
            let told = try await update(server, app.id, dry)
            let living = try await app.refresh(tokens.refreshToken)
            let done = try await update(server, app.id, narrow)
            let dead = try await app.refresh(living.refreshToken)

            #expect(other["ended"]?["refresh_tokens"] == 0)
            let because: JSONValue = ["scope email", "scope offline_access"]
            #expect(told["ended"] == ["refresh_tokens": 1, "because": because] && told["dry_run"] == true)
            #expect(living.outcome == "200" && done["ended"] == told["ended"] && dead.outcome == "400 invalid_grant")
            #expect(try await app.userInfo(living.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test("without refresh_token no refresh token goes on")
    func grant() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), tokens = try await app.logIn(Browser(server))

            let done = try await update(server, app.id, ["grant": ["authorization_code"]])

            #expect(done["ended"] == ["refresh_tokens": 1, "because": ["grant refresh_token"]])
            #expect(try await app.refresh(tokens.refreshToken).status == 400)
        }
    }

    @Test("people stay who they are: another subject type is refused once somebody logged in, another host is told")
    func people() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), nobody = try await server.webApp()
            _ = try await app.logIn(Browser(server))

            #expect(try await refusal(server, app.id, ["subject_type": "public"]) == .conflict)
            #expect(try await update(server, nobody.id, ["subject_type": "public"])["subject_type"] == "public")
            let moved = try await update(server, app.id, ["redirect_uri": [.string(Self.other)]])
            #expect(moved["warnings"]?.array?.count == 1)
            let renamed = try await update(server, app.id, ["name": "Again"])
            #expect(renamed["warnings"] == [])
        }
    }

    @Test("keys are replaced at once, or with those of before taken for a while")
    func keys() async throws {
        try await TestServer.with { server in
            let (id, old) = server.residents.signer, new = PhoneKey(), newest = PhoneKey()
            func outcome(_ key: PhoneKey, kid: String) async throws -> String {
                let jwt = try key.sign(
                    [
                        "iss": .string(id), "sub": .string(id), "aud": .string(ServerParts.root),
                        "iat": .integer(server.now), "exp": .integer(server.now + 60),
                        "jti": .string(UUID().uuidString),
                    ], header: ["kid": .string(kid)])
                return try await server.post(
                    "/token",
                    [
                        "grant_type": "client_credentials", "client_assertion": jwt,
                        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    ]
                ).outcome
            }

            let kept = try await update(
                server, id, ["jwks": ["keys": [new.jwk(kid: "new")]], "keep_old": "1h"])
            #expect(kept["changed"]?.strings == ["jwks"] && kept["old_keys_until"]?.string != nil)
            #expect(try await outcome(old, kid: "signer") == "200")
            #expect(try await outcome(new, kid: "new") == "200")
            server.time.advance(3_601)
            let late = (try await outcome(old, kid: "signer"), try await outcome(new, kid: "new"))
            #expect(late == ("401 invalid_client", "200"))

            _ = try await update(server, id, ["jwks": ["keys": [newest.jwk(kid: "newest")]]])
            #expect(try await outcome(new, kid: "new") == "401 invalid_client")
            #expect(try await outcome(newest, kid: "newest") == "200")
        }
    }

    @Test("keys that were kept beside others are not taken beside those that the client itself brings later")
    func ownKeys() async throws {
        try await TestServer.with { server in
            let id = server.residents.signer.id, actor = AuditActor(name: "admin:root")
            let store = server.parts.composition.administrationSession(by: actor, who: .operatorOfDatabase)
                .clients
            func keys(_ kid: String) -> JSONValue { ["keys": [PhoneKey().jwk(kid: kid)]] }
            let kept = try await update(server, id, ["jwks": keys("new"), "keep_old": "1h"])
            #expect(kept["old_keys_until"]?.string != nil)

            let known = try #require(try await store.find(id, in: server.database))
            let same = try await store.update(known, to: WebClientDraft(known), in: server.database).0
            #expect(same.oldKeysUntil(at: server.time.now) != nil)
            var draft = WebClientDraft(same)
            draft.jwks = keys("own")
            let changed = try await store.update(same, to: draft, in: server.database).0
            #expect(changed.oldKeysUntil(at: server.time.now) == nil)
        }
    }

    @Test("who comes to a secret is told it once; who has keys elsewhere has none to keep")
    func methods() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(method: .none)

            let secret = try await update(server, app.id, ["auth_method": "client_secret_basic"])
            let keyed = try await update(
                server, app.id, ["auth_method": "private_key_jwt", "jwks_uri": "https://rp.example.org/jwks"])

            #expect(secret["client_secret"]?.string != nil && keyed["client_secret"] == nil)
            #expect(
                try await refusal(
                    server, app.id, ["jwks_uri": "https://rp.example.org/other", "keep_old": "1h"]) == .conflict)
        }
    }

    @Test("lifetimes of its own, within bounds, and the server's again")
    func lifetimes() async throws {
        try await TestServer.with { server in
            let machine = WebApp(
                server: server, id: server.residents.machine.id, secret: server.residents.machine.secret)
            func life() async throws -> JSONValue? {
                try await server.post("/token", ["grant_type": "client_credentials"], headers: machine.basic)
                    .json["expires_in"]
            }

            let shorter = try await update(server, machine.id, ["access_token_lifetime": 120])
            #expect(shorter["changed"]?.strings == ["access_token_lifetime"] && shorter["access_token_lifetime"] == 120)
            #expect(try await life() == 120)
            #expect(
                try await server.object("clients show", ["id": .string(machine.id)])["access_token_lifetime"] == 120)
            let usual = try await update(server, machine.id, ["access_token_lifetime": 0])
            #expect(usual["access_token_lifetime"] == nil)
            #expect(try await life() == 3_600)
            for refused in [59, 86_401] {
                #expect(
                    try await refusal(server, machine.id, ["access_token_lifetime": .integer(refused)]) == .invalid)
            }
            #expect(try await refusal(server, machine.id, ["refresh_lifetime": 60]) == .invalid)
        }
    }

    @Test("an idle refresh token ends when its client's own time is over")
    func idle() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp()
            _ = try await update(server, app.id, ["refresh_lifetime": 3_600, "access_token_lifetime": 60])
            let tokens = try await app.logIn(Browser(server))

            server.time.advance(3_500)
            let again = try await app.refresh(tokens.refreshToken)
            server.time.advance(3_601)
            let late = try await app.refresh(again.refreshToken)

            #expect(tokens.json["expires_in"] == 60 && again.json["expires_in"] == 60)
            #expect(again.outcome == "200" && late.outcome == "400 invalid_grant")
        }
    }

    @Test("a client that registered itself may keep what its operator added to it")
    func registered() async throws {
        try await TestServer.with { server in
            let invitation = try await server.object("clients invite")["initial_access_token"]?.string ?? ""
            let made = try await server.post(
                "/register",
                json: [
                    "client_name": "Self", "redirect_uris": ["https://client.example/cb"],
                    "grant_types": ["authorization_code", "refresh_token"],
                ], headers: [.authorization: "Bearer \(invitation)"])
            let id = try #require(made["client_id"])
            let exchange: JSONValue = "urn:ietf:params:oauth:grant-type:token-exchange"
            let place = try #require(made["registration_client_uri"]).dropFirst(ServerParts.root.count)
            let headers: HTTPFields = [
                .authorization: "Bearer \(made["registration_access_token"] ?? "")",
                .contentType: "application/json",
            ]

            _ = try await update(
                server, id,
                ["grant": ["authorization_code", "refresh_token", exchange], "access_token_lifetime": 600])
            let read = try await server.get(String(place), headers: headers)
            let written = try await server.send(
                .put, String(place), headers: headers, body: read.json.bytes)

            #expect(read.json["grant_types"]?.array?.contains(exchange) == true)
            #expect(written.outcome == "200" && written.json["grant_types"] == read.json["grant_types"])
            #expect(
                try await server.object("clients show", ["id": .string(id)])["access_token_lifetime"] == 600)
        }
    }

    @Test(
        "what cannot be is refused, and changes nothing",
        arguments: [
            ("redirect_uri", ["http://rp.example.org/cb"], .invalid), ("grant", ["password"], .invalid),
            ("scope", ["a\"b"], .invalid), ("auth_method", "magic", .usage), ("jwks", ["keys": []], .invalid),
            ("subject_type", "secret", .usage), ("name", "", .invalid),
            ("backchannel_logout_uri", "http://rp.example.org/x", .invalid), ("keep_old", "1h", .usage),
        ] as [(String, JSONValue, AdminFailure.Code)])
    func refused(_ member: String, _ value: JSONValue, _ code: AdminFailure.Code) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp()
            let before = try await server.object("clients show", ["id": .string(app.id)])

            #expect(try await refusal(server, app.id, [member: value]) == code)
            #expect(try await server.object("clients show", ["id": .string(app.id)]) == before)
            #expect(try await refusal(server, server.residents.learn.id, ["name": "x"]) == .conflict)
            #expect(try await refusal(server, "nobody", ["name": "x"]) == .notFound)
            #expect(try await refusal(server, app.id, [:]) == .usage)
        }
    }
}
