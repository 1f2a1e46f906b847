import Base
import Foundation
import HTTPTypes
import Keys
import TestSupport
import Testing

@Suite("ID tokens: by which algorithm, and again at refresh (OpenID Connect Registration, 2; Core, 12.2)", .server)
struct IDTokenTests {
    private func algorithm(_ token: String?) throws -> String { try JWT(token ?? "").algorithm }

    @Test("RS256 for who registered nothing, what they registered for others; access tokens are ES256 all the same")
    func usual() async throws {
        try await TestServer.with(signing: .init(algorithms: [.es256, .rs256])) { server in
            let channel = "https://rp.example.org/logout"
            let plain = try await server.webApp { $0.backchannelLogoutURI = channel }
            let chosen = try await server.webApp("ES") { $0.idTokenAlgorithm = "ES256" }
            let browser = Browser(server)

            let tokens = try await plain.logIn(browser), others = try await chosen.logIn(browser)
            _ = try await browser.submit(try await browser.open(.get, "/logout"), ["decision": "logout"])
            try await server.sendLogouts()

            let told = try JWT(tokens["id_token"] ?? "")
            #expect(told.algorithm == "RS256")
            #expect(try await server.parts.keys.verify(told))
            #expect(told.string("at_hash") == Base64URL.encode(Digest.sha256(tokens.accessToken).prefix(16)))
            #expect(try algorithm(others["id_token"]) == "ES256")
            #expect(try algorithm(tokens.accessToken) == "ES256" && algorithm(others.accessToken) == "ES256")
            let logout = server.wire.pushes.first { $0.url == channel }
            #expect(try algorithm(try logout.flatMap { try FormCodec.read($0.body.utf8)["logout_token"] }) == "RS256")
        }
    }

    @Test("a registration says by which, also where it was left to the server")
    func registered() async throws {
        try await TestServer.with(signing: .init(algorithms: [.es256, .rs256])) { server in
            let fixture = RegistrationFixture(server: server), plain = try await fixture.registered()
            let chosen = try await fixture.registered(["id_token_signed_response_alg": "ES256"])

            #expect(plain.reply["id_token_signed_response_alg"] == "RS256")
            #expect(try await plain.manage(.get)["id_token_signed_response_alg"] == "RS256")
            #expect(try await plain.update()["id_token_signed_response_alg"] == "RS256")
            #expect(chosen.reply["id_token_signed_response_alg"] == "ES256")
            let document = try await server.get("/.well-known/openid-configuration")
            #expect(document.json["id_token_signing_alg_values_supported"] == ["ES256", "RS256"])
        }
    }

    @Test("an operator who does not sign by RS256 is asked for the first of the others, and metadata say so")
    func excluded() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp()

        let tokens = try await app.logIn(Browser(server)),
            client = try await RegistrationFixture(server: server).registered()

        #expect(try algorithm(tokens["id_token"]) == "ES256")
        #expect(client.reply["id_token_signed_response_alg"] == "ES256")
        let document = try await server.get("/.well-known/openid-configuration")
        #expect(document.json["id_token_signing_alg_values_supported"] == ["ES256"])
    }

    @Test("a refresh gives one again: of the same login and person, made now, without nonce")
    func refreshed() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp()
            let asked = AuthorizationDraft(app.id, changes: ["claims": #"{"id_token": {"email": null}}"#])
            let place = try await Browser(server).signIn(asked), first = try await app.redeem(place.answer["code"])
            server.time.advance(120)

            let again = try await app.refresh(first.refreshToken)

            let old = claims(of: first["id_token"] ?? ""), new = claims(of: again["id_token"] ?? "")
            #expect(try await server.parts.keys.verify(try JWT(again["id_token"] ?? "")))
            for name in ["iss", "sub", "aud", "auth_time", "acr", "amr", "sid", "email"] {
                #expect(old[name] != nil && new[name] == old[name], "\(name)")
            }
            #expect(old["nonce"] == "n-1" && new["nonce"] == nil)
            #expect(new["iat"] == .integer(server.now) && old["iat"] == .integer(server.now - 120))
            #expect(new["at_hash"]?.string == Base64URL.encode(Digest.sha256(again.accessToken).prefix(16)))
            #expect(new["jti"]?.string == again.jti && new["jti"] != old["jti"])
        }
    }

    @Test("where the operator ceased to sign by what a client registered, it refreshes on, without one")
    func ceased() async throws {
        try await TestServer.with(signing: .init(algorithms: [.es256, .rs256])) { server in
            let app = try await server.webApp { $0.idTokenAlgorithm = "RS256" }
            let tokens = try await app.logIn(Browser(server))
            try await server.withReplica(signing: .init(algorithms: [.es256])) { later in
                let again = WebApp(server: later, id: app.id, secret: app.secret)

                let fresh = try await again.refresh(tokens.refreshToken)

                #expect(tokens["id_token"] != nil && fresh.outcome == "200" && fresh["id_token"] == nil)
                #expect(try await again.userInfo(fresh.accessToken).outcome == "200")
            }
        }
    }

    @Test("a refresh without openid gives none, nor does one of a login without it")
    func without() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let tokens = try await app.logIn(browser), plain = try await app.logIn(browser, scope: "profile")

        let narrowed = try await app.refresh(tokens.refreshToken, scope: "profile email")
        let never = try await app.refresh(plain.refreshToken)

        #expect(tokens["id_token"] != nil && narrowed.outcome == "200" && narrowed["id_token"] == nil)
        #expect(plain["id_token"] == nil && never.outcome == "200" && never["id_token"] == nil)
        #expect(try await app.refresh(narrowed.refreshToken)["id_token"] != nil, "the family keeps what was granted")
    }
}
