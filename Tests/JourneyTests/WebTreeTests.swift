import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("Web logins hang in the tree")
struct WebTreeTests {
    private static func revoke(_ ancestor: Ancestor, in server: TestServer) async throws {
        try await server.parts.revocation.revoke(.virtual(ancestor), by: AuditActor(name: "admin:test"))
    }

    private func person(_ server: TestServer) async throws -> String {
        let rows = try await server.database.query("select id::text as id from account where username = 'ada'")
        return try #require(try rows.first.map { try $0("id") as String })
    }

    @Test(
        "each of person, session, client, grant and epoch, revoked, ends access and refresh at once",
        arguments: ["account", "session", "client", "grant", "epoch"])
    func revocations(_ kind: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let tokens = try await app.logIn(browser), id = try await person(server)
            let session = claims(of: tokens["id_token"] ?? "")["sid"]?.string ?? ""
            let node =
                switch kind {
                case "account": Ancestor(.account, id)
                case "session": Ancestor(.session, session)
                case "client": Ancestor(.client, app.id)
                case "grant": Ancestor(.grant, "\(id)/\(app.id)")
                default: Ancestor.epoch
                }
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")

            try await WebTreeTests.revoke(node, in: server)

            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
            let isLoggedIn = try await browser.open(.get, "/account").status == 200
            #expect(isLoggedIn == ["client", "grant"].contains(kind))
        }
    }

    @Test("what was issued with offline_access outlives the session; all else ends with it")
    func offline() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let online = try await app.logIn(browser),
                offline = try await app.logIn(browser, scope: "openid offline_access")

            try await WebTreeTests.revoke(
                Ancestor(.session, claims(of: online["id_token"] ?? "")["sid"]?.string ?? ""), in: server)

            #expect(try await app.refresh(online.refreshToken).outcome == "400 invalid_grant")
            #expect(try await app.refresh(offline.refreshToken).outcome == "200")
        }
    }

    @Test("a code of a login that was revoked is worth nothing")
    func codeBelowRevoked() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let code = try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]

            try await WebTreeTests.revoke(Ancestor(.account, try await person(server)), in: server)

            #expect(try await app.redeem(code).outcome == "400 invalid_grant")
        }
    }

    @Test("refreshing narrows scope on request and never widens it")
    func narrowing() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), tokens = try await app.logIn(Browser(server), scope: "openid email")

            let narrow = try await app.refresh(tokens.refreshToken, scope: "openid")
            let wide = try await app.refresh(narrow.refreshToken, scope: "openid email profile")
            let whole = try await app.refresh(narrow.refreshToken)

            #expect(
                narrow["scope"] == "openid" && wide.outcome == "400 invalid_scope" && whole["scope"] == "openid email")
            #expect(try await app.userInfo(narrow.accessToken)["email"] == nil)
        }
    }

    @Test(
        """
        a web client that may exchange gets a service assertion for its person, from an ID token, access or refresh \
        token, bound to the key it shows
        """,
        arguments: ["id_token", "access_token", "refresh_token"])
    func exchange(_ kind: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(grants: [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
            ])
            let tokens = try await app.logIn(Browser(server)), key = PhoneKey(),
                phone = Phone(server: server, key: key, device: "none", instance: tokens)
            var headers = try phone.dpop(.post, "/token")
            headers[.authorization] = app.basic[.authorization]

            let granted = try await server.post(
                "/token",
                [
                    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": tokens[kind],
                    "subject_token_type": "urn:ietf:params:oauth:token-type:\(kind)",
                    "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag", "audience": ServerParts.base,
                ], headers: headers)
            let service = try await phone.redeem(assertion: granted.accessToken)

            #expect(
                granted.outcome == "200" && granted["issued_token_type"] == "urn:ietf:params:oauth:token-type:id-jag"
                    && granted["token_type"] == "N_A")
            let assertion = claims(of: granted.accessToken)
            #expect(
                assertion["client_id"] == .string(app.id) && assertion["cnf"]?["jkt"] == .string(key.thumbprint)
                    && assertion["acr"] != nil)
            #expect(service.outcome == "200")
            try await WebTreeTests.revoke(Ancestor(.grant, "\(try await person(server))/\(app.id)"), in: server)
            try await server.sendEvents()
            #expect(
                try await server.post(
                    "/services/learn/token", ["grant_type": "refresh_token", "refresh_token": service.refreshToken],
                    headers: phone.dpop(.post, "/services/learn/token")
                ).outcome == "400 invalid_grant")
        }
    }

    @Test(
        "an exchange wants the right to it, a key, and a token of its own",
        arguments: ["no grant", "no key", "another's token"])
    func refusedExchange(_ fault: String) async throws {
        try await TestServer.with { server in
            let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            let app = try await server.webApp(
                grants: fault == "no grant" ? ["authorization_code"] : ["authorization_code", exchange])
            let owner = fault == "another's token" ? try await server.webApp("Other") : app
            let tokens = try await owner.logIn(Browser(server)),
                phone = Phone(server: server, key: PhoneKey(), device: "none", instance: tokens)
            var headers = fault == "no key" ? HTTPFields() : try phone.dpop(.post, "/token")
            headers[.authorization] = app.basic[.authorization]

            let reply = try await server.post(
                "/token",
                [
                    "grant_type": exchange, "subject_token": tokens.accessToken, "audience": ServerParts.base,
                    "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                ], headers: headers)

            #expect(
                reply.outcome
                    == [
                        "no grant": "400 unauthorized_client", "no key": "400 invalid_dpop_proof",
                        "another's token": "400 invalid_request",
                    ][fault])
        }
    }
}
