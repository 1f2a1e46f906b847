import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Issue 15, point 1: what happens between a person's yes and the device's next question.
@Suite("An approved device that waits ends with what ends its approval (RFC 8628, 3.4)")
struct DeviceConsentTests {
    private func node(_ server: TestServer, _ app: WebApp) async throws -> Ancestor {
        let ada: String = try await server.database.query("select id::text as id from account where username = 'ada'")[
            0]("id")
        return Ancestor(.grant, "\(ada)/\(app.id)")
    }

    @Test("consent withdrawn before the device asked: it gets nothing, and is told to begin again")
    func withdrawn() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server),
                begun = try await television.approved(browser)

            let done = try await television.withdraw(browser)
            let polled = try await television.poll(begun)
            server.time.advance(6)

            #expect(done.status == 303)
            #expect(polled.outcome == "400 invalid_grant")
            #expect(try await television.poll(begun).outcome == "400 invalid_grant")
            let again = try await television.approved(browser)
            #expect(try await television.poll(again).outcome == "200")
        }
    }

    @Test("withdrawn and given again to another device: the first one's approval stays dead")
    func givenAgain() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server),
                first = try await television.approved(browser)

            _ = try await television.withdraw(browser)
            let second = try await television.approved(browser)

            #expect(try await television.poll(first).outcome == "400 invalid_grant")
            #expect(try await television.poll(second).outcome == "200")
        }
    }

    @Test("what a device holds can be ended where no consent row is left, and what hangs from nothing is 404")
    func withoutRow() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server),
                waiting = try await television.approved(browser)
            let held = try await television.poll(try await television.approved(browser))
            _ = try await server.database.execute("delete from consent")

            let refused = try await television.poll(waiting)
            let done = try await television.withdraw(browser)
            let twice = try await television.withdraw(browser)

            #expect(refused.outcome == "400 invalid_grant")
            #expect(done.status == 303 && twice.status == 404)
            #expect(try await television.app.userInfo(held.accessToken).outcome == "401 invalid_token")
            #expect(try await television.app.refresh(held.refreshToken).outcome == "400 invalid_grant")
        }
    }

    @Test("an application that nobody ever agreed to cannot be withdrawn from, and nothing is written")
    func stranger() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server)
            _ = try await Television(in: server).approved(browser)

            #expect(try await television.withdraw(browser).status == 404)
            let label = try await node(server, television.app).label
            #expect(try await server.database.query("select id from audit where node = \(label)").isEmpty)
        }
    }

    @Test(
        "an operator's revocation of grant, client, person or epoch before the device asked ends its approval",
        arguments: [Ancestor.Kind.grant, .client, .account, .epoch])
    func revoke(_ kind: Ancestor.Kind) async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), begun = try await television.approved(Browser(server))
            let grant = try await node(server, television.app), account = String(grant.name.prefix(36))
            let names: [Ancestor.Kind: String] = [
                .grant: grant.name, .client: television.app.id, .account: account, .epoch: "1",
            ]

            try await server.parts.revocation.revoke(
                .virtual(Ancestor(kind, names[kind] ?? "")), by: AuditActor(name: "admin:test"))

            #expect(try await television.poll(begun).outcome == "400 invalid_grant")
        }
    }

    @Test(
        "a client that lost a scope or the grant, or was deleted, after the approval gets nothing",
        arguments: [
            ("scope = 'openid'", "400 invalid_grant"), ("grant_types = '{refresh_token}'", "400 unauthorized_client"),
        ])
    func narrowed(_ change: String, _ expected: String) async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), begun = try await television.approved(Browser(server))
            let gone = try await Television(in: server), left = try await gone.approved(Browser(server))

            _ = try await server.database.execute("update client set \(raw: change) where id = \(television.app.id)")
            _ = try await server.database.execute("delete from client where id = \(gone.app.id)")

            #expect(try await television.poll(begun).outcome == expected)
            #expect(try await gone.poll(left).outcome == "401 invalid_client")
        }
    }

    @Test("a client that lost a scope before its person decided: the yes comes too late")
    func narrowedBefore() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), begun = try await television.begin(),
                browser = Browser(server)
            let first = try await browser.follow(
                try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")"))
            let page = try #require(try await browser.goOn(first).page)

            _ = try await server.database.execute("update client set scope = 'openid' where id = \(television.app.id)")
            let decided = try await browser.submit(page, ["decision": "allow"])

            #expect(decided.body.contains("role=\"alert\""))
            #expect(try await television.poll(begun).outcome == "400 authorization_pending")
            #expect(try await server.database.query("select account from consent").isEmpty)
        }
    }

    @Test("a person suspended after the approval: the device gets nothing")
    func suspended() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), begun = try await television.approved(Browser(server))

            _ = try await server.database.execute("update account set status = 'suspended' where username = 'ada'")

            #expect(try await television.poll(begun).outcome == "400 invalid_grant")
        }
    }

    @Test("an approved device outlives the browser it was approved in")
    func outlives() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server),
                begun = try await television.approved(browser)

            let sid: String = try await server.database.query("select id from browser_session")[0]("id")
            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.session, sid)), by: AuditActor(name: "admin:test"))

            #expect(try await television.poll(begun).outcome == "200")
        }
    }

    @Test("withdrawing while the device asks: nothing lives afterwards, whichever was first: 40 rounds")
    func race() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), browser = Browser(server)
            for round in 0..<40 {
                let begun = try await television.approved(browser)

                async let withdrawn = television.withdraw(browser)
                async let polled = television.poll(begun)
                let (done, tokens) = try await (withdrawn, polled)

                #expect(done.status == 303, "round \(round)")
                #expect(["200", "400 invalid_grant"].contains(tokens.outcome), "round \(round): \(tokens.body)")
                if tokens.outcome == "200" {
                    #expect(
                        try await television.app.userInfo(tokens.accessToken).outcome == "401 invalid_token",
                        "round \(round)")
                }
            }
        }
    }

    @Test("two browsers of two people that decide at once: one decides, and the other has agreed to nothing: 20 rounds")
    func twoPeople() async throws {
        try await TestServer.with { server in
            let television = try await Television(in: server), (ada, bob) = (Browser(server), Browser(server))
            for (browser, name) in [(ada, "ada"), (bob, "bob")] {
                _ = try await Television.decide(try await television.begin(), "deny", browser, as: name)
            }
            for round in 0..<20 {
                for table: SQL in ["consent", "device_authorization", "attempt"] {
                    _ = try await server.database.execute("delete from \(table)")
                }
                let begun = try await television.begin()
                _ = try await crowd(2) { number in
                    try await Television.decide(begun, "allow", number == 0 ? ada : bob).status
                }

                let (agreed, decided) = (
                    try await server.database.query("select account from consent"),
                    try await server.database.query(
                        "select account from device_authorization where status = 'approved'")
                )
                #expect(agreed.count == 1 && decided.count == 1, "round \(round)")
                #expect(try agreed[0]("account", as: UUID.self) == decided[0]("account", as: UUID.self))
            }
        }
    }
}
