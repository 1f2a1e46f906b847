import Accounts
import Base
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("A person at a service is a node")
struct UseNodeTests {
    private func ada(_ server: TestServer) async throws -> UUID {
        try #require(
            try await AccountStore(clock: server.time.clock).find("ada", in: server.database)
        ).id
    }

    private func revoke(_ node: Ancestor, _ server: TestServer) async throws -> RevocationOutcome {
        try await server.parts.revocation.revoke(.virtual(node), by: AuditActor(name: "admin:test"))
    }

    private func isRevoked(_ assertion: String, _ server: TestServer) async throws -> Bool {
        let id = try #require(NodeID(claims(of: assertion)["jti"]?.string ?? ""))
        return try #require(try await server.parts.store.find(id)).isRevoked
    }

    @Test(
        """
        it stands in each assertion by its pseudonym; revoked, all phones of the person lose that service, and may \
        come again
        """
    )
    func cut() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                sister = try await Phone.registered(in: server), sisterPAT = try await sister.logIn()
            let node = Ancestor.use(try await ada(server), at: "learn")
            let services = [
                try await phone.redeem(assertion: phone.assertion(pat)),
                try await sister.redeem(assertion: sister.assertion(sisterPAT)),
            ]
            let elsewhere = try await phone.assertion(pat, for: Residents.quietBase)
            let generation = try #require(
                try await TreeView(store: server.parts.store).generation(of: node, in: server.database))
            let lineage = try claims(of: await phone.assertion(pat))["lineage"]?.strings ?? []
            #expect(lineage.dropLast().last == server.parts.names.node(generation, at: "learn"))

            let outcome = try await revoke(node, server)
            try await server.sendEvents()

            #expect(!outcome.already && outcome.services == ["learn"])
            #expect(server.wire.pushes.count == 1, "one row, one message")
            for (phone, service) in [(phone, services[0]), (sister, services[1])] {
                #expect(
                    try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
                        == "400 invalid_grant")
            }
            #expect(try await !isRevoked(elsewhere, server))
            #expect(try await revoke(node, server).already)
            #expect(try await phone.askAssertion(pat).outcome == "200", "cut, not kept out")
        }
    }

    @Test("assertions of before there was such a node end with it too, each told by its own pseudonym")
    func earlier() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let node = Ancestor.use(try await ada(server), at: "learn")
            let old = try await phone.assertion(pat), quiet = try await phone.assertion(pat, for: Residents.quietBase)
            let service = try await phone.redeem(assertion: old)
            // As the version before issued it.
            _ = try await server.database.batch([
                """
                update token t set lineage = array_remove(t.lineage, a.id) from ancestor a
                where a.kind = 'use' and t.kind = 'assertion' and a.id = any (t.lineage)
                """,
                "delete from reach r using ancestor a where a.kind = 'use' and r.node = a.id",
                "delete from ancestor where kind = 'use'",
            ])

            let outcome = try await revoke(node, server)

            #expect(!outcome.already && outcome.services == ["learn"])
            #expect(try await isRevoked(old, server))
            #expect(try await !isRevoked(quiet, server))
            let event: JSONValue = try await server.database.value("select body from outbox where service = 'learn'")
            let id = try #require(NodeID(claims(of: old)["jti"]?.string ?? ""))
            #expect(event["node"] == .string(server.parts.names.node(id, at: "learn")))
            _ = service
        }
    }

    @Test("what processes of before issue after a revocation ends by the next, though the node was not opened")
    func twice() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let node = Ancestor.use(try await ada(server), at: "learn")
            #expect(try await !revoke(node, server).already)
            let old = try await phone.assertion(pat)
            _ = try await server.database.batch([
                """
                update token t set lineage = array_remove(t.lineage, a.id) from ancestor a
                where a.kind = 'use' and t.kind = 'assertion' and a.id = any (t.lineage)
                """,
                "delete from ancestor where kind = 'use'",
            ])

            #expect(try await !revoke(node, server).already)

            #expect(try await isRevoked(old, server))
            #expect(try await revoke(node, server).already)
        }
    }

    @Test("what a web client held for a service before there was such a node ends with it, and nothing of others does")
    func earlierWeb() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            let code = try await browser.signIn(
                AuthorizationDraft(app.id, changes: ["resource": Residents.quietBase])
            ).answer["code"]
            let tokens = try await app.redeem(code), plain = try await app.logIn(browser, scope: "openid")
            try #require(tokens.outcome == "200", "\(tokens.body)")
            _ = try await server.database.batch([
                """
                update family f set lineage = array_remove(f.lineage, a.id) from ancestor a
                where a.kind = 'use' and a.id = any (f.lineage)
                """,
                """
                update token t set lineage = array_remove(t.lineage, a.id) from ancestor a
                where a.kind = 'use' and a.id = any (t.lineage)
                """,
                "delete from ancestor where kind = 'use'",
            ])

            #expect(try await !revoke(.use(try await ada(server), at: "quiet"), server).already)

            #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
            #expect(try await app.userInfo(plain.accessToken).outcome == "200")
        }
    }

    @Test("an account that is deleted leaves no node of its uses behind")
    func deleted() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            _ = try await phone.assertion(pat)

            try await AccountStore(clock: server.time.clock).delete(try await ada(server), in: server.database)

            #expect(try await server.database.value("select count(*) from ancestor where kind = 'use'") == 0)
        }
    }

    @Test("the second assertion of a person at a service asks the database no more often than before")
    func roundTrips() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            _ = try await phone.assertion(pat)
            let ancestors = [Ancestor(.service, "learn"), .use(try await ada(server), at: "learn")]

            #expect(server.parts.store.remembers(ancestors))
            #expect(try await phone.askAssertion(pat).outcome == "200")
        }
    }
}
