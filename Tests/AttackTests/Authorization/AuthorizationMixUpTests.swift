import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Codes in wrong hands: without the verifier, and at another server.
@Suite("Attacks on the authorization endpoint: PKCE downgrade and mix-up (groups 9 and 10)", .server, .serialized)
struct AuthorizationMixUpTests {
    private static let verifiers: [String?] = [
        nil, "", Phone.challenge, String(Phone.verifier.dropLast()), Phone.verifier + "A", Phone.verifier.lowercased(),
        String(repeating: "a", count: 43),
        String(repeating: "a", count: 129), Phone.verifier + "é", " " + Phone.verifier,
        "dBjftJeZ4CVP-mB92\u{212A}27uhbUJU1p1r_wW1gFWFOEjXk",
    ]

    // MARK: Group 9

    @Test(
        "group 9: a recorded challenge wants its verifier; another, an empty one or none burns the code",
        arguments: verifiers)
    func group9(_ verifier: String?) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()

        #expect(try await scene.app.redeem(code, verifier: verifier).outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(code).outcome == "400 invalid_grant", "burned")
    }

    @Test("group 9: the same of a public client, where the verifier is all there is", arguments: verifiers)
    func group9Public(_ verifier: String?) async throws {
        let scene = try await AuthorizationScene.ready(try await TestServer.ofSuite.webApp(method: .none)),
            code = try await scene.code()

        #expect(try await scene.app.redeem(code, verifier: verifier).outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(code).outcome == "400 invalid_grant", "burned")
    }

    // No code is ever issued without a challenge (group 8), so one is taken out of the row.
    @Test(
        "group 9: a code without a recorded challenge is worth nothing, with a verifier or without",
        arguments: [Phone.verifier, nil], ["code_challenge", "empty", "plain"])
    func group9Downgrade(_ verifier: String?, _ what: String) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()
        let detail: SQL =
            switch what {
            case "empty": "jsonb_set(detail, '{code_challenge}', '\"\"')"
            case "plain": "jsonb_set(detail, '{code_challenge}', \(JSONValue.string(Phone.verifier)))"
            default: "detail - 'code_challenge'"
            }
        try await scene.server.database.execute(
            "update token set detail = \(detail) where kind = 'code' and client = \(scene.app.id)")

        #expect(try await scene.app.redeem(code, verifier: verifier).outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(code).outcome == "400 invalid_grant")
    }

    // A phone's code is bound to its key, so a wrong verifier does not burn it: whoever could try one holds the key,
    // and is the phone.
    @Test("group 9: a phone's code wants verifier and key", arguments: verifiers)
    func group9Instance(_ verifier: String?) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite),
            thief = try await Phone.registered(in: phone.server)
        let code = try #require(try await phone.logInForCode()["authorization_code"])

        #expect(
            ["400 invalid_grant", "400 invalid_request"].contains(
                try await phone.redeem(code: code, verifier: verifier).outcome))
        #expect(try await thief.redeem(code: code).outcome == "400 invalid_grant", "the verifier without the key")
        try await phone.server.database.execute(
            "update token set detail = detail - 'code_challenge' where kind = 'code' and client = \(phone.clientID)")
        #expect(try await phone.redeem(code: code).outcome == "400 invalid_grant", "no challenge was recorded")
    }

    // MARK: Group 10

    @Test("group 10: every answer says who gives it, codes and errors alike, and metadata says that it does")
    func group10() async throws {
        let scene = try await AuthorizationScene.ready(), fresh = Browser(scene.server),
            app = try await scene.server.webApp("Fresh")
        let login = try await fresh.follow(try await fresh.open(.get, AuthorizationDraft(app.id).path))
        let consent = try #require(try await fresh.goOn(login, stopsAt: "/consent").page)

        let answers = [
            try await scene.ask(scene.draft()), try await scene.ask(scene.draft(["state": nil])),
            try await scene.ask(scene.draft(["scope": "admin"])),
            try await scene.ask(scene.draft(["response_type": "token", "state": nil])),
            try await scene.ask(scene.draft(["prompt": "none", "max_age": "0", "id_token_hint": "x"])),
            try await fresh.submit(consent, ["decision": "deny"]),
        ]

        for answer in answers {
            #expect(answer.authorizationAnswer["iss"] == ServerParts.root, "\(answer.location ?? answer.body)")
        }
        #expect(
            answers[1].authorizationAnswer["state"] == nil
                && answers.last?.authorizationAnswer["error"] == "access_denied")
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            let metadata = try await scene.server.get(path)
            #expect(
                metadata.json["authorization_response_iss_parameter_supported"] == true
                    && metadata["issuer"] == ServerParts.root)
        }
    }

    /// A client as RFC 9207, 2.4 wants it: it remembers whom it asked, and leaves any other's answer.
    private struct CarefulClient {
        let asked: String
        func takes(_ answer: [String: String]) -> Bool { answer["iss"] == asked }
    }

    @Test("group 10: a server that sends the browser on to us is told by iss; the code it then gets it cannot redeem")
    func group10MixUp() async throws {
        let scene = try await AuthorizationScene.ready(), rogue = CarefulClient(asked: "https://rogue.example.org"),
            honest = CarefulClient(asked: ServerParts.root)

        let answer = try await scene.ask(scene.draft()).authorizationAnswer, code = answer["code"]

        #expect(!rogue.takes(answer) && honest.takes(answer))
        // A careless client would hand code and verifier to the rogue, who lacks the client's credentials.
        let careless = WebApp(server: scene.server, id: scene.app.id, secret: "guess"),
            nobody = WebApp(server: scene.server, id: scene.app.id, secret: "")
        #expect(try await careless.redeem(code).outcome == "401 invalid_client")
        #expect(try await nobody.redeem(code).outcome == "401 invalid_client")
        #expect(try await (try await scene.server.webApp("Rogue")).redeem(code).outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(code).outcome == "200", "none of these used it")
    }

    @Test("group 10: what one server gives is worth nothing at another, not even for a client that is the same at both")
    func group10OtherServer() async throws {
        let scene = try await AuthorizationScene.ready(), app = scene.app
        let tokens = try await app.redeem(try await scene.code()), code = try await scene.code(),
            pushed = try #require(try await scene.push(scene.draft())["request_uri"])

        try await TestServer.with { other in
            let twin = try await other.webApp()
            try await other.database.execute(
                "update client set id = \(app.id), secret = \(Digest.sha256(app.secret)) where id = \(twin.id)")
            let there = WebApp(server: other, id: app.id, secret: app.secret), browser = Browser(other)
            try #require(try await there.logIn(Browser(other)).outcome == "200", "the client is known there")

            #expect(try await there.redeem(code).outcome == "400 invalid_grant")
            #expect(try await there.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
            #expect(try await there.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(
                try await other.post("/introspect", ["token": tokens.accessToken], headers: there.basic).json == [
                    "active": false
                ])
            #expect(
                try await browser.open(
                    .get, "/authorize?" + FormCodec.write([("client_id", app.id), ("request_uri", pushed)])
                ).isRefusedOnPage("invalid_request"))
            for (name, value) in await scene.browser.cookies { await browser.set(cookie: name, to: value) }
            #expect(
                try await browser.open(.get, "/account").location?.contains("/login") == true,
                "a session of the other is none")
        }
        #expect(try await app.redeem(code).outcome == "200")
    }
}
