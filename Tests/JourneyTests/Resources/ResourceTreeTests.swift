import Base
import Federation
import Foundation
import OAuth
import TestSupport
import Testing
import TokenTree

@Suite("RFC 8707: tokens for several services hang each below its own")
struct ResourceTreeTests {
    static let learn = ResourceLogin.learn, quiet = ResourceLogin.quiet, issuer = ResourceLogin.issuer

    @Test(
        "a person at one service, or that service, ended: its tokens are, no other is given, and the rest goes on",
        arguments: ["use", "service"])
    func oneEnds(_ kind: String) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let first = try await login.tokens([Self.learn, Self.quiet], resource: Self.learn)
            let second = try await app.refresh(first.refreshToken, resource: Self.quiet)
            let third = try await app.refresh(second.refreshToken, resource: Self.learn)
            let waiting = try await login.code([Self.learn, Self.quiet])

            try await login.revoke(
                kind == "use" ? .use(try await login.ada(), at: "learn") : Ancestor(.service, "learn"))

            for token in [first, third] {
                #expect(try await !login.isActive(token.accessToken, at: server.residents.learn))
            }
            #expect(try await login.isActive(second.accessToken, at: server.residents.quiet))
            let refused = try await app.refresh(third.refreshToken, resource: Self.learn)
            #expect(refused.outcome == "400 invalid_target")
            #expect(try await app.refresh(third.refreshToken).outcome == "400 invalid_target", "it began so")
            let fourth = try await app.refresh(third.refreshToken, resource: Self.quiet)
            #expect(try await login.isActive(fourth.accessToken, at: server.residents.quiet))
            let own = try await app.refresh(fourth.refreshToken, resource: Self.issuer)
            #expect(try await app.userInfo(own.accessToken).outcome == "200")
            #expect(try await app.redeem(waiting, resource: Self.learn).outcome == "400 invalid_target")
            #expect(try await login.tokens([Self.learn, Self.quiet], resource: Self.learn).outcome == "200")
        }
    }

    @Test("one service alone: the whole login hangs below it, its token for userinfo too")
    func onlyOne() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let tokens = try await login.tokens([Self.quiet])
            let own = try await app.refresh(tokens.refreshToken, resource: Self.issuer)

            try await login.revoke(.use(try await login.ada(), at: "quiet"))

            #expect(try await app.userInfo(own.accessToken).outcome == "401 invalid_token")
            #expect(try await app.refresh(own.refreshToken).outcome == "400 invalid_grant")
        }
    }

    @Test("consent withdrawn, or a code used twice, ends the tokens of all services")
    func allEnd() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let code = try await login.code([Self.learn, Self.quiet])
            let first = try await app.redeem(code, resource: Self.learn)
            let second = try await app.refresh(first.refreshToken, resource: Self.quiet)

            #expect(try await app.redeem(code, resource: Self.quiet).outcome == "400 invalid_grant")

            #expect(try await !login.isActive(first.accessToken, at: server.residents.learn))
            #expect(try await !login.isActive(second.accessToken, at: server.residents.quiet))
            let again = try await login.tokens([Self.learn, Self.quiet], resource: Self.quiet)
            let form = try await server.formToken(login.browser, at: "/account")
            _ = try await login.browser.open(
                .post, "/account/withdraw", form: [("form_token", form), ("client", app.id)])
            #expect(try await !login.isActive(again.accessToken, at: server.residents.quiet))
            #expect(try await app.refresh(again.refreshToken, resource: Self.learn).outcome == "400 invalid_grant")
            #expect(try await login.consentPage([Self.learn, Self.quiet]) != nil)
        }
    }

    @Test("a suspended service is invalid_target at redemption and at refresh; the others go on")
    func suspended() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let tokens = try await login.tokens([Self.learn, Self.quiet])
            let waiting = try await login.code([Self.learn, Self.quiet])

            try await login.move("quiet", to: .suspended)

            let refused = try await app.refresh(tokens.refreshToken, resource: Self.quiet)
            #expect(refused.outcome == "400 invalid_target")
            #expect(try await audience(app.refresh(tokens.refreshToken, resource: Self.learn)) == Self.learn)
            #expect(try await app.redeem(waiting, resource: Self.quiet).outcome == "400 invalid_target")
        }
    }

    @Test("a person who is kept out of one of the services gets no code for any of them")
    func refusedPerson() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), account = try await login.ada()
            let tokens = try await login.tokens([Self.learn, Self.quiet])
            try await server.database.atomically { transaction in
                let refuse = RefuseAtService(revocation: server.parts.revocation, clock: server.time.clock)
                _ = try await refuse.refuse(
                    account, at: "quiet", by: AuditActor(name: "admin:test"), in: transaction)
                _ = try await server.parts.revocation.revoke(
                    .virtual(.use(account, at: "quiet")), by: AuditActor(name: "admin:test"), in: transaction)
            }

            #expect(try await login.answer([Self.learn, Self.quiet])["error"] == "access_denied")
            let refused = try await login.app.refresh(tokens.refreshToken, resource: Self.quiet)
            #expect(refused.outcome == "400 invalid_target")
            #expect(try await login.app.refresh(tokens.refreshToken, resource: Self.learn).outcome == "200")
        }
    }

    @Test("a lost answer is asked for again with its resource; with another it is invalid_target, and nothing ends")
    func lostAnswer() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            let tokens = try await login.tokens([Self.learn, Self.quiet], resource: Self.learn)
            let lost = try await app.refresh(tokens.refreshToken, resource: Self.quiet)

            let again = try await app.refresh(tokens.refreshToken, resource: Self.quiet)
            let others = [
                try await app.refresh(tokens.refreshToken, resource: Self.learn),
                try await app.refresh(tokens.refreshToken, resource: Self.issuer),
                try await app.refresh(tokens.refreshToken),
            ]

            #expect(again.jti == lost.jti && again.refreshToken == lost.refreshToken && audience(again) == Self.quiet)
            #expect(others.map(\.outcome) == Array(repeating: "400 invalid_target", count: 3))
            #expect(try await audience(app.refresh(lost.refreshToken, resource: Self.learn)) == Self.learn)
        }
    }

    @Test("a service that checks by itself is told of the end of what a refresh gave for it")
    func told() async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute("update service set lineage = true where id = 'learn'")
            let login = try await ResourceLogin(server)
            let tokens = try await login.tokens([Self.learn, Self.quiet])
            let other = try await login.app.refresh(tokens.refreshToken, resource: Self.learn)
            let quiet = try await login.app.refresh(other.refreshToken, resource: Self.quiet)
            let lineage = try #require(claims(of: other.accessToken)["lineage"]?.strings)
            #expect(Set(lineage).count == lineage.count && lineage.count >= 5)
            #expect(claims(of: quiet.accessToken)["lineage"] == nil && claims(of: tokens.accessToken)["lineage"] == nil)

            for ancestor in [
                Ancestor.use(try await login.ada(), at: "learn"),
                ConsentStore.node(try await login.ada(), login.app.id),
            ] {
                try await login.revoke(ancestor)
                let body: JSONValue = try await server.database.value(
                    "select body from outbox where service = 'learn' order by seq desc limit 1")
                #expect(lineage.contains(body["node"]?.string ?? "?"), "\(ancestor.label)")
            }
        }
    }

    @Test("a refresh for another service counts as use of it")
    func used() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let tokens = try await login.tokens([Self.learn, Self.quiet])
            func services() async throws -> [String] {
                try await server.database.query("select service from service_usage order by service").map {
                    try $0("service")
                }
            }
            #expect(try await services() == [])
            _ = try await login.app.refresh(tokens.refreshToken, resource: Self.quiet)
            #expect(try await services() == ["quiet"])
        }
    }

    @Test("at a service's own client, with another service beside: each ends by itself")
    func ownClient() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), app = login.app
            _ = try await server.database.execute("update service set client = \(app.id) where id = 'learn'")
            let tokens = try await login.tokens([Self.learn, Self.quiet], resource: Self.learn)
            let id = try #require(NodeID(tokens.jti))
            let row = try #require(try await server.parts.composition.store.find(id, in: server.database))
            #expect(Set(row.lineage).count == row.lineage.count, "no node twice")

            try await login.revoke(.use(try await login.ada(), at: "quiet"))

            #expect(try await app.refresh(tokens.refreshToken, resource: Self.quiet).outcome == "400 invalid_target")
            #expect(try await app.refresh(tokens.refreshToken, resource: Self.learn).outcome == "200")
        }
    }

    @Test(
        "an assertion that is exchanged hangs below the login, not below the service of the token beside it",
        arguments: ["id_token", "refresh_token"])
    func exchanged(_ kind: String) async throws {
        try await TestServer.with { server in
            let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            let login = try await ResourceLogin(server, grants: ["authorization_code", "refresh_token", exchange])
            let tokens = try await login.tokens([Self.learn, Self.quiet], resource: Self.quiet)
            let phone = Phone(server: server, key: PhoneKey(), device: "none", instance: tokens)
            var headers = try phone.dpop(.post, "/token")
            headers[.authorization] = login.app.basic[.authorization]

            let granted = try await server.post(
                "/token",
                [
                    "grant_type": exchange, "subject_token": tokens[kind],
                    "subject_token_type": "urn:ietf:params:oauth:token-type:\(kind)",
                    "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag", "audience": Self.learn,
                ], headers: headers)

            #expect(granted.outcome == "200", "\(granted.body)")
            let id = try #require(NodeID(granted.jti))
            func row() async throws -> TokenRow {
                try #require(try await server.parts.composition.store.find(id, in: server.database))
            }
            #expect(try await Set(row().lineage).count == row().lineage.count, "no node twice")
            try await login.revoke(.use(try await login.ada(), at: "quiet"))
            #expect(try await !row().isRevoked)
            try await login.revoke(ConsentStore.node(try await login.ada(), login.app.id))
            #expect(try await row().isRevoked)
        }
    }
}
