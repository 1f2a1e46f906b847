import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Several processes, clocks that jump, and a database that is put back to what it was.
@Suite("Attacks on operations: nodes, clocks and backups (groups 71, 72 and 75)")
struct OperationsNodesTests {
    // MARK: Group 71

    // There is no older build to stand beside this one; what N-1 and N share is the database alone, and every process
    // knows of jti, codes, refresh tokens, sessions and revocations only what stands there. So two processes without
    // any common memory stand for them.

    @Test(
        """
        group 71: what was used, rotated or ended at one node is so at the other, and what was begun at one goes on \
        at the other
        """
    )
    func shared() async throws {
        try await TestServer.with { server in
            try await server.withReplica { replica async throws in
                let app = try await server.webApp(), browser = Browser(server),
                    twin = WebApp(server: replica, id: app.id, secret: app.secret)
                let code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]),
                    elsewhere = Browser(replica)
                let tokens = try await twin.redeem(code)
                #expect(tokens.outcome == "200", "a code of one node at the other")

                for (name, value) in await browser.cookies { await elsewhere.set(cookie: name, to: value) }
                #expect(try await elsewhere.open(.get, "/account").status == 200, "a session of one node at the other")
                let pushed = try await server.post(
                    "/par",
                    [
                        "response_type": "code", "client_id": app.id, "redirect_uri": Browser.callback,
                        "scope": "openid", "code_challenge": Phone.challenge, "code_challenge_method": "S256",
                    ], headers: app.basic)
                let path =
                    "/authorize?"
                    + FormCodec.write([("client_id", app.id), ("request_uri", pushed["request_uri"] ?? "")])
                #expect(
                    Browser.Place.outside(try await elsewhere.open(.get, path)[header: "Location"] ?? "").answer["code"]
                        != nil, "a pushed request of one node at the other")

                let first = try await app.refresh(tokens.refreshToken),
                    again = try await twin.refresh(tokens.refreshToken)
                #expect(
                    first.outcome == "200" && again.outcome == "200" && again.refreshToken == first.refreshToken
                        && again.jti == first.jti, "the same child inside the grace window")
                server.time.advance(11)
                #expect(
                    try await twin.refresh(tokens.refreshToken).outcome == "400 invalid_grant",
                    "reuse, seen at the other node")
                for place in [app, twin] {
                    #expect(try await place.userInfo(first.accessToken).outcome == "401 invalid_token")
                    #expect(try await place.refresh(first.refreshToken).outcome == "400 invalid_grant")
                }
                #expect(
                    try await app.redeem(code).outcome == "400 invalid_grant", "a code that was used at the other node")
            }
        }
    }

    // MARK: Group 72

    @Test(
        """
        group 72: the clock jumps an hour ahead: what has its hour ends, what lives longer lives, and nothing is \
        used twice
        """
    )
    func ahead() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server), tokens = try await app.logIn(browser),
                code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"])
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                proof = try phone.dpop(.get, "/userinfo", token: pat.accessToken),
                forge = try await AssertionsForge.ready(in: server), assertion = try forge.jwt()
            #expect(try await forge.send(assertion).outcome == "200")
            server.time.advance(3_600)
            try await server.parts.partitions.makeAhead()
            try await server.parts.partitions.dropDead()

            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await app.redeem(code).outcome == "400 invalid_grant")
            #expect(
                try await server.get("/userinfo", headers: proof).outcome == "401 invalid_dpop_proof",
                "made by the old clock")
            #expect(try await forge.send(assertion).outcome == "401 invalid_client")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
            #expect(try await browser.open(.get, "/account").status == 200)

            // And back: what the hour had ended may live again, as its time is not over, but what was used stays used.
            server.time.advance(-3_600)
            #expect(
                try await forge.send(assertion).outcome == "401 invalid_client",
                "its jti is remembered through the jump")
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
            #expect(try await app.redeem(code).outcome == "200")
            #expect(try await app.redeem(code).outcome == "400 invalid_grant")
        }
    }

    @Test(
        """
        group 72: the clock jumps an hour back: used proofs, codes and assertions stay used, what was ended stays \
        ended, and everything new works
        """
    )
    func back() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server),
                code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]),
                tokens = try await app.redeem(code)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                proof = try phone.dpop(.get, "/userinfo", token: pat.accessToken),
                assertion = try await phone.assertion(pat), ended = try await app.logIn(Browser(server))
            #expect(try await server.get("/userinfo", headers: proof).outcome == "200")
            try #require(try await phone.redeem(assertion: assertion).outcome == "200")
            #expect(try await server.post("/revoke", ["token": ended.refreshToken], headers: app.basic).status == 200)
            server.time.advance(-3_600)
            try await server.parts.partitions.makeAhead()

            #expect(try await server.get("/userinfo", headers: proof).outcome == "401 invalid_dpop_proof")
            #expect(try await phone.redeem(assertion: assertion).outcome == "400 invalid_grant")
            #expect(try await app.userInfo(ended.accessToken).outcome == "401 invalid_token")
            #expect(try await app.refresh(ended.refreshToken).outcome == "400 invalid_grant")
            #expect(
                try await phone.get("/userinfo", token: pat.accessToken).outcome == "200",
                "with a proof by the new clock")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
            #expect(try await browser.open(.get, "/account").status == 200)
            let fresh = try await app.logIn(Browser(server))
            #expect(try await app.userInfo(fresh.accessToken).outcome == "200")
            #expect(try await Phone.registered(in: server).logIn().outcome == "200")
            // Codes last: the second use ends what the first gave.
            #expect(try await app.redeem(code).outcome == "400 invalid_grant")
            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
        }
    }

    // MARK: Group 75

    private func tables(_ server: TestServer) async throws -> [String] {
        try await server.database.query(
            """
            select c.relname as name from pg_class c where c.relnamespace = current_schema()::regnamespace
                and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like 'kept_%' order by 1
            """
        ).map { try $0("name") }
    }

    private func backUp(_ server: TestServer) async throws {
        for table in try await tables(server) {
            try await server.database.execute(
                "create table \(identifier: "kept_\(table)") as table \(identifier: table)")
        }
    }

    /// The test's database user may not switch foreign keys off, so they go; nothing here needs them afterwards.
    private func restore(_ server: TestServer) async throws {
        let tables = try await tables(server)
        try await server.database.transaction { transaction in
            let keys = try await transaction.query(
                """
                select k.conname as key, c.relname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
                where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = current_schema()::regnamespace
                """)
            for row in keys {
                let (key, table): (String, String) = (try row("key"), try row("name"))
                _ = try await transaction.execute("alter table \(identifier: table) drop constraint \(identifier: key)")
            }
            for table in tables { _ = try await transaction.execute("delete from \(identifier: table)") }
            for table in tables {
                _ = try await transaction.execute(
                    """
                    insert into \(identifier: table) overriding system value select kept.*
                        from \(identifier: "kept_\(table)") kept
                    """
                )
            }
        }
    }

    @Test(
        """
        group 75: a backup brings revoked tokens back, and the epoch's bump after it ends them and everything else \
        that it brought, for good
        """
    )
    func restored() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(scope: "openid profile email offline_access"), browser = Browser(server),
                tokens = try await app.logIn(browser), phone = try await Phone.registered(in: server),
                pat = try await phone.logIn()
            let lasting = try await app.logIn(Browser(server), scope: "openid offline_access"),
                code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]),
                assertion = try await phone.assertion(pat)
            let machine = try await AssertionsForge.ready(in: server),
                machines = try await machine.send(try machine.jwt())
            try await backUp(server)

            #expect(try await server.post("/revoke", ["token": tokens.refreshToken], headers: app.basic).status == 200)
            #expect(
                try await server.post(
                    "/revoke", ["token": pat.accessToken],
                    headers: try phone.dpop(.post, "/revoke", token: phone.instance.accessToken)
                ).status == 200)
            _ = try await browser.submit(try await browser.open(.get, "/logout"), ["decision": "logout"])
            try #require(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            let cookies = await browser.cookies
            try await restore(server)
            let stale = try await app.userInfo(tokens.accessToken)
            #expect(
                stale.outcome == "200",
                "the restored backup knows nothing of the revocation: that is what the bump is for")

            _ = try await server.database.atomically { transaction in
                try await Epoch.bump(
                    by: .server, revocation: server.parts.revocation, at: server.time.now, in: transaction)
            }

            try await server.withReplica { replica async throws in
                for place in [server, replica] {
                    let (web, mobile) = (
                        WebApp(server: place, id: app.id, secret: app.secret),
                        Phone(server: place, key: phone.key, device: phone.device, instance: phone.instance)
                    )
                    for dead in [tokens, lasting] {
                        #expect(try await web.userInfo(dead.accessToken).outcome == "401 invalid_token")
                        #expect(try await web.refresh(dead.refreshToken).outcome == "400 invalid_grant")
                        #expect(
                            try await place.post("/introspect", ["token": dead.accessToken], headers: app.basic).body
                                == "{\"active\":false}")
                    }
                    #expect(try await web.redeem(code).outcome == "400 invalid_grant")
                    for token in [pat, phone.instance] {
                        #expect(
                            try await mobile.get("/userinfo", token: token.accessToken).outcome == "401 invalid_token")
                        #expect(try await mobile.refresh(token.refreshToken).outcome == "400 invalid_grant")
                    }
                    #expect(
                        try await place.get("/userinfo", headers: [.authorization: "Bearer \(machines.accessToken)"])
                            .outcome == "401 invalid_token")
                    let back = Browser(place)
                    for (name, value) in cookies { await back.set(cookie: name, to: value) }
                    #expect(try await back.open(.get, "/account").status == 303, "no session of the backup")
                }
            }
            try await server.sendEvents()
            let late = try await phone.redeem(assertion: assertion)
            #expect(late.outcome == "400 invalid_grant", "\(late.body)")
            let fresh = try await app.logIn(Browser(server))
            #expect(try await app.userInfo(fresh.accessToken).outcome == "200", "and life goes on")
        }
    }
}
