import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import Vocabulary

/// RFC 9700, 2.1.1: a confidential OpenID client may rely on `nonce` in place of PKCE, where the operator lets it.
@Suite("Without PKCE, by nonce: who may, and what is refused still (group 9)", .server, .serialized)
struct AuthorizationNonceTests {
    private func allowed() async throws -> AuthorizationScene {
        try await AuthorizationScene.ready(try await TestServer.ofSuite.webApp { $0.allowsNonceInstead = true })
    }

    private static let bare: KeyValuePairs<String, String?> = ["code_challenge": nil, "code_challenge_method": nil]

    @Test("a request with nonce and openid needs no challenge; the ID token bears the nonce")
    func allowedWithout() async throws {
        let scene = try await allowed(), code = try await scene.code(AuthorizationNonceTests.bare)

        let tokens = try await scene.app.redeem(code, verifier: nil)

        #expect(tokens.outcome == "200" && claims(of: tokens["id_token"] ?? "")["nonce"] == "n-1", "\(tokens.body)")
        #expect(try await scene.app.redeem(code, verifier: nil).outcome == "400 invalid_grant", "once")
    }

    @Test("pushed, it needs none either")
    func pushed() async throws {
        let scene = try await allowed()

        #expect(try await scene.push(scene.draft(AuthorizationNonceTests.bare)).status == 201)
    }

    @Test(
        "without nonce, without openid, or with half a challenge it is refused, to the client",
        arguments: [
            ["nonce": nil], ["nonce": ""], ["scope": "profile"], ["code_challenge_method": "S256"],
            ["code_challenge_method": "plain"], ["code_challenge": Phone.challenge],
            ["code_challenge": Phone.verifier, "code_challenge_method": "plain"],
        ] as [[String: String?]])
    func refused(_ changes: [String: String?]) async throws {
        let scene = try await allowed()
        var draft = scene.draft(AuthorizationNonceTests.bare)
        for (name, value) in changes { draft.set(name, value) }

        #expect(try await scene.ask(draft).isErrorTo(Browser.callback, "invalid_request"))
        #expect(try await scene.push(draft).outcome == "400 invalid_request")
    }

    @Test("who is not let, or is public, needs PKCE whatever nonce it sends")
    func others() async throws {
        let server = try TestServer.ofSuite, scene = try await AuthorizationScene.ready()
        let open = try await server.webApp(method: .none)
        try await server.database.execute(
            """
            update client set metadata = metadata || '{"allow_nonce_instead": true}' where id = \(open.id)
            """)
        let nobodys = try await AuthorizationScene.ready(open)

        for scene in [scene, nobodys] {
            let draft = scene.draft(AuthorizationNonceTests.bare)
            #expect(try await scene.ask(draft).isErrorTo(Browser.callback, "invalid_request"))
        }
        await #expect(throws: WebClientStore.Unacceptable.self) {
            _ = try await server.webApp(method: .none) { $0.allowsNonceInstead = true }
        }
    }

    @Test("RFC 9700, 4.8.2: a verifier for a request without a challenge is refused, and burns the code")
    func downgraded() async throws {
        let scene = try await allowed(), code = try await scene.code(AuthorizationNonceTests.bare)

        let reply = try await scene.app.redeem(code)

        #expect(reply.outcome == "400 invalid_grant", "\(reply.body)")
        #expect(reply["error_description"]?.contains("code_challenge") == true)
        #expect(try await scene.app.redeem(code, verifier: nil).outcome == "400 invalid_grant", "burned")
    }

    @Test("with a challenge all is as for others: the right verifier, or nothing", arguments: [nil, "wrong"])
    func challenged(_ verifier: String?) async throws {
        let scene = try await allowed(), code = try await scene.code(), other = try await scene.code()

        #expect(try await scene.app.redeem(code, verifier: verifier).outcome == "400 invalid_grant")
        #expect(try await scene.app.redeem(other).outcome == "200")
    }

    @Test("what is taken back holds at once, for a code that is out, too")
    func takenBack() async throws {
        let scene = try await allowed(), code = try await scene.code(AuthorizationNonceTests.bare)
        try await scene.server.database.execute(
            "update client set metadata = metadata - 'allow_nonce_instead' where id = \(scene.app.id)")

        #expect(try await scene.app.redeem(code, verifier: nil).outcome == "400 invalid_grant")
        let draft = scene.draft(AuthorizationNonceTests.bare)
        #expect(try await scene.ask(draft).isErrorTo(Browser.callback, "invalid_request"))
    }

    @Test("no client gives it to itself, and none loses it by an update, unless it goes public")
    func operators() async throws {
        let server = try TestServer.ofSuite
        let document: JSONObject = [
            "client_name": "n", "redirect_uris": [.string(Browser.callback)], "allow_nonce_instead": true,
        ]
        let made = try await OperationsFixture.register(server, document), id = made.clientID
        func update(_ changes: JSONObject) async throws -> Reply {
            try await server.send(
                .put, "/register/\(id)",
                headers: [
                    .authorization: "Bearer \(made["registration_access_token"] ?? "")",
                    .contentType: "application/json",
                ],
                body: JSONValue.object(document.with(["client_id": .string(id)]).with(changes)).bytes)
        }

        #expect(made.outcome == "201" && made.json["allow_nonce_instead"] == nil)
        #expect(try await update([:]).json["allow_nonce_instead"] == nil)
        try await server.database.execute(
            """
            update client set metadata = metadata || '{"allow_nonce_instead": true}' where id = \(id)
            """)
        #expect(try await update(["allow_nonce_instead": .null]).json["allow_nonce_instead"] == true)
        let open = try await update(["token_endpoint_auth_method": "none"])
        #expect(open.outcome == "200" && open.json["allow_nonce_instead"] == nil, "\(open.body)")
        #expect(try await update([:]).json["allow_nonce_instead"] == nil)
    }
}
