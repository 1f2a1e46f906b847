import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A code is redeemed by what is remembered of its client, and the statement that issues asks whether that still holds.
@Suite("A code is not redeemed by what was true of its client (RFC 6749, 4.1.3)", .server)
struct WebCodeRememberedTests {
    private struct Scene {
        let server: TestServer
        let app: WebApp
        let browser: Browser
        /// What the first code gave.
        let tokens: Reply
        let used: String

        func code(_ changes: KeyValuePairs<String, String?> = [:]) async throws -> String {
            try #require(try await browser.signIn(AuthorizationDraft(app.id, changes: changes)).answer["code"])
        }

        func change(_ change: String) async throws {
            _ = try await server.database.execute("update client set \(raw: change) where id = \(app.id)")
        }
    }

    /// The client has redeemed a code: the process remembers it.
    private func remembered(in server: TestServer? = nil) async throws -> Scene {
        let server = try server ?? TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let used = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"])
        let tokens = try await app.redeem(used)
        try #require(tokens.outcome == "200", "\(tokens.body)")
        return Scene(server: server, app: app, browser: browser, tokens: tokens, used: used)
    }

    @Test(
        "what another process took from the client is taken",
        arguments: [
            ("scope = 'openid profile'", "400 invalid_grant"),
            ("redirect_uris = '{https://rp.example.org/other}'", "400 invalid_grant"),
            ("grant_types = '{refresh_token}'", "400 unauthorized_client"),
            ("secret = sha256('another')", "401 invalid_client"),
            ("auth_method = 'none'", "401 invalid_client"),
        ])
    func narrowed(_ change: String, _ expected: String) async throws {
        let scene = try await remembered(), code = try await scene.code()

        try await scene.change(change)
        let reply = try await scene.app.redeem(code), unknown = try await scene.app.redeem("unknown")

        #expect(reply.outcome == expected)
        #expect(unknown.outcome == (expected.hasPrefix("401") ? expected : "400 invalid_grant"))
    }

    @Test("a client that was deleted meanwhile is told so, whatever it shows")
    func deleted() async throws {
        let scene = try await remembered(), code = try await scene.code()

        _ = try await scene.server.database.execute("delete from client where id = \(scene.app.id)")

        for shown in [code, scene.used, "unknown"] {
            #expect(try await scene.app.redeem(shown).outcome == "401 invalid_client")
        }
    }

    @Test("by an old secret and a wrong verifier nothing is used up")
    func oldSecret() async throws {
        let scene = try await remembered(), app = scene.app, code = try await scene.code()
        let verifier = String(repeating: "a", count: 43), secret = Digest.sha256(app.secret)

        try await scene.change("secret = sha256('another')")

        #expect(try await app.redeem(code, verifier: verifier).outcome == "401 invalid_client")
        _ = try await scene.server.database.execute("update client set secret = \(secret) where id = \(app.id)")
        #expect(try await app.redeem(code).outcome == "200", "it was not used up")
    }

    @Test("by an old secret a code that is shown again ends nothing")
    func oldSecretAgain() async throws {
        let scene = try await remembered()

        try await scene.change("secret = sha256('another')")

        #expect(try await scene.app.redeem(scene.used).outcome == "401 invalid_client")
        #expect(try await scene.app.userInfo(scene.tokens.accessToken).outcome == "200")
    }

    @Test("a code is redeemed while another transaction holds its client: nothing is locked that is remembered")
    func shared() async throws {
        let scene = try await remembered(), code = try await scene.code()

        let reply = try await scene.server.database.transaction { transaction in
            _ = try await transaction.query("select from client where id = \(scene.app.id) for update")
            return try await scene.app.redeem(code)
        }

        #expect(reply.outcome == "200")
    }

    @Test("a person who was suspended by nobody's revocation gets nothing for a code")
    func suspended() async throws {
        try await TestServer.with { server in
            let scene = try await remembered(in: server), code = try await scene.code()

            _ = try await server.database.execute("update account set status = 'suspended' where username = 'ada'")

            #expect(try await scene.app.redeem(code).outcome == "400 invalid_grant")
        }
    }

    @Test("what was given to the client meanwhile counts as well, and an unconcerned change refuses nothing")
    func widened() async throws {
        let scene = try await remembered(), first = try await scene.code()
        try await scene.change("name = 'Renamed'")
        #expect(try await scene.app.redeem(first).outcome == "200")

        let second = try await scene.code()
        try await scene.change("grant_types = '{authorization_code}'")
        let bare = try await scene.app.redeem(second)

        #expect(bare.outcome == "200" && bare["refresh_token"] == nil && bare["id_token"] != nil)
    }

    @Test("an ID token that names claims of the person tells them as they are when the code is redeemed")
    func claimed() async throws {
        try await TestServer.with { server in
            let scene = try await remembered(in: server),
                code = try await scene.code(["claims": #"{"id_token":{"name":null}}"#])

            _ = try await server.database.execute("update account set name = 'Ada K.' where username = 'ada'")
            let reply = try await scene.app.redeem(code)

            #expect(claims(of: reply["id_token"] ?? "")["name"] == "Ada K.", "\(reply.body)")
        }
    }
}
