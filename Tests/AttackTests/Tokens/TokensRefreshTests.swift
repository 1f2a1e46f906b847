import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Refresh tokens that were used before, at the wrong time or by the wrong one.
@Suite("Attacks on the token endpoint: refresh tokens (groups 24 to 27)", .server, .serialized)
struct TokensRefreshTests {
    // MARK: Group 24

    /// Everything that a request could have left behind: rows, and the version of the family's own.
    private func traces(_ server: TestServer, _ family: String) async throws -> [String] {
        var counts: [String] = []
        for table in [
            "revocation", "audit", "token", "family", "reach", "outbox", "delivery", "logout_delivery", "one_time",
            "ancestor",
        ] {
            let count: Int = try await server.database.value("select count(*) from \(identifier: table)")
            counts.append("\(table) \(count)")
        }
        let version: String = try await server.database.value(
            "select xmin || ' ' || ctid || ' ' || sequence from family where client = \(family)")
        return counts + [version]
    }

    // 10,000 retries are 300 here: that each writes nothing and costs the same statements, however often it comes and
    // however long the family is, makes them as cheap as the first.
    @Test(
        "group 24: reuse after rotation ends the family once; the same stale token again is a few reads each time",
        arguments: [1, 25])
    func reuse(_ rotations: Int) async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let app = try await server.webApp(), first = try await app.logIn(Browser(server)),
                others = try await server.webApp("Other"), other = try await others.logIn(Browser(server))
            var newest = first
            for _ in 0..<rotations { newest = try await app.refresh(newest.refreshToken) }
            try #require(newest.outcome == "200")
            server.time.advance(11)

            let reused = try await app.refresh(first.refreshToken)

            #expect(
                reused.outcome == "400 invalid_grant" && reused["error_description"]?.contains("used before") == true)
            for token in [first, newest] {
                #expect(try await app.userInfo(token.accessToken).outcome == "401 invalid_token")
            }
            #expect(try await app.refresh(newest.refreshToken).outcome == "400 invalid_grant")
            #expect(
                try await app.userInfo(other.accessToken).outcome == "200", "another login of the same person lives on")
            let before = try await traces(server, app.id),
                revocations: Int = try await server.database.value("select count(*) from revocation")
            var costs: Set<Int> = []
            for _ in 0..<300 {
                let start = log.all.count
                #expect(try await app.refresh(first.refreshToken).outcome == "400 invalid_grant")
                costs.insert(log.all[start...].count { $0.contains(" sql ") })
            }
            #expect(revocations == 1)
            #expect(try await traces(server, app.id) == before, "nothing was written")
            #expect(costs.count == 1 && costs.allSatisfy { (1...6).contains($0) }, "statements: \(costs)")
        }
    }

    @Test(
        "group 24: a phone's stale token ends its family, and not the phone", arguments: ["instance", "pat", "service"])
    func reusePhone(_ kind: String) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                service = try await phone.redeem(assertion: try await phone.assertion(pat))
            let (token, path) =
                kind == "instance"
                ? (phone.instance, "/token") : kind == "pat" ? (pat, "/token") : (service, "/services/learn/token")
            let next = try await phone.refresh(token.refreshToken, at: path)
            try #require(next.outcome == "200")
            server.time.advance(11)

            for _ in 0..<20 {
                #expect(try await phone.refresh(token.refreshToken, at: path).outcome == "400 invalid_grant")
            }

            #expect(try await phone.refresh(next.refreshToken, at: path).outcome == "400 invalid_grant")
            let isOver =
                kind == "instance"
                ? try await phone.logInForCode().status == 401 : try await phone.logInForCode().status == 200
            #expect(isOver)
        }
    }

    // MARK: Group 26

    @Test(
        """
        group 26: after a restart a live token lives, a rotated one is still rotated away, and a revoked one still \
        revoked
        """
    )
    func restart() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), first = try await app.logIn(Browser(server)),
                second = try await app.refresh(first.refreshToken), lost = try await app.logIn(Browser(server))
            _ = try await server.post("/revoke", ["token": lost.refreshToken], headers: app.basic)
            server.time.advance(11)
            try await server.withReplica { restarted in
                let there = WebApp(server: restarted, id: app.id, secret: app.secret)

                #expect(try await there.refresh(lost.refreshToken).outcome == "400 invalid_grant")
                let third = try await there.refresh(second.refreshToken)
                #expect(third.outcome == "200")
                #expect(try await there.userInfo(third.accessToken).outcome == "200")
                #expect(
                    try await there.refresh(first.refreshToken).outcome == "400 invalid_grant",
                    "rotated before the restart: reuse")
                #expect(
                    try await there.refresh(third.refreshToken).outcome == "400 invalid_grant",
                    "and that ended the family")
            }
        }
    }

    @Test(
        "group 26: while the database is away the answer is 503 and to come again; afterwards everything is as it was")
    func failover() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server)), phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()

        try await server.withoutDatabase { away in
            let app = WebApp(server: away, id: app.id, secret: app.secret),
                phone = Phone(server: away, key: phone.key, device: phone.device, instance: phone.instance)
            for reply in [
                try await app.refresh(tokens.refreshToken), try await phone.refresh(pat.refreshToken),
                try await app.redeem("code"), try await app.userInfo(tokens.accessToken),
            ] {
                #expect(
                    reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil,
                    "\(reply.body)")
            }
        }

        let next = try await app.refresh(tokens.refreshToken)
        #expect(next.outcome == "200")
        #expect(try await app.refresh(next.refreshToken).outcome == "200")
        #expect(try await phone.refresh(pat.refreshToken).outcome == "200")
    }

    /// What happens at the commit, after every statement went well.
    private static let faults = [
        "serialization": "raise exception 'no' using errcode = '40001'",
        "shutdown": "raise exception 'no' using errcode = '57P01'",
        "disk full": "raise exception 'no' using errcode = '53100'",
        "read-only": "raise exception 'no' using errcode = '25006'",
        "connection lost": "perform pg_terminate_backend(pg_backend_pid())",
    ]

    @Test(
        """
        group 26: a rotation or redemption that is rolled back leaves the state as it was, and is told as a failure \
        of the server
        """
    )
    func rolledBack() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), scene = try await AuthorizationScene.ready(app)
            for (fault, statement) in TokensRefreshTests.faults {
                let tokens = try await app.redeem(try await scene.code()), code = try await scene.code()
                try await server.database.execute(
                    """
                    create or replace function fail() returns trigger language plpgsql as $$ begin \
                    \(raw: statement); return null; end $$
                    """
                )
                try await server.database.execute(
                    """
                    create constraint trigger fail after insert or update on family deferrable initially deferred \
                    for each row execute function fail()
                    """
                )
                let before = try await traces(server)

                for reply in [try await app.refresh(tokens.refreshToken), try await app.redeem(code)] {
                    #expect(
                        (500...503).contains(reply.status) && reply.accessToken == "" && reply.refreshToken == "",
                        "\(fault): \(reply.outcome)")
                    #expect(!["invalid_grant", "invalid_client"].contains(reply.error), "\(fault)")
                }

                #expect(try await traces(server) == before, "\(fault)")
                try await server.database.execute("drop trigger fail on family")
                let next = try await app.refresh(tokens.refreshToken), redeemed = try await app.redeem(code)
                #expect(next.outcome == "200" && redeemed.outcome == "200", "\(fault): \(next.body) \(redeemed.body)")
                #expect(try await app.refresh(next.refreshToken).outcome == "200", "\(fault)")
            }
        }
    }

    private func traces(_ server: TestServer) async throws -> [String] {
        try await server.database.query(
            """
            select 'family ' || f.id || ' ' || f.sequence || ' ' || f.child as line from family f
                union all select 'token ' || t.id || ' ' || coalesce(t.used_at::text, '') from token t
            union all select 'revoked ' || r.node from revocation r order by 1
            """
        ).map { try $0("line") }
    }

    // MARK: Group 27

    @Test(
        "group 27: a refresh token is its client's; tried by others it is refused, and neither used nor ended",
        arguments: ["confidential", "public", "no name", "name alone", "wrong secret", "phone", "service"])
    func otherClient(_ who: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server)),
            other = try await server.webApp("Other", method: who == "public" ? .none : .basic)
        func post(_ client: String?, _ headers: HTTPFields = [:], at path: String = "/token") async throws -> Reply {
            try await server.post(
                path, ["grant_type": "refresh_token", "refresh_token": tokens.refreshToken, "client_id": client],
                headers: headers)
        }
        let phone = try await Phone.registered(in: server)
        let reply =
            switch who {
            case "confidential", "public": try await other.refresh(tokens.refreshToken)
            case "no name": try await post(nil)
            case "name alone": try await post(app.id)
            case "wrong secret":
                try await WebApp(server: server, id: app.id, secret: "guess").refresh(tokens.refreshToken)
            case "phone": try await phone.refresh(tokens.refreshToken)
            default: try await post(nil, app.basic, at: "/services/learn/token")
            }

        #expect(
            ["400 invalid_grant", "401 invalid_client"].contains(reply.outcome) && reply.accessToken == "",
            "\(reply.body)")
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
        #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
    }

    // RFC 6749, 5.2 calls it invalid_scope.
    @Test(
        "group 27: a wider scope than was granted is refused, a narrower one is given for this once",
        arguments: [
            ("openid profile email offline_access", "400 invalid_scope"), ("openid admin", "400 invalid_scope"),
            ("OPENID", "400 invalid_scope"), ("openid", "200"), ("email openid", "200"), ("", "200"),
        ])
    func scope(_ scope: String, _ outcome: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server), scope: "openid email")

        let reply = try await app.refresh(tokens.refreshToken, scope: scope)

        #expect(reply.outcome == outcome, "\(reply.body)")
        if outcome == "200" {
            #expect(
                Set(reply["scope"]?.split(separator: " ") ?? [])
                    == Set((scope.isEmpty ? "openid email" : scope).split(separator: " ")))
        }
        let next = try await app.refresh(outcome == "200" ? reply.refreshToken : tokens.refreshToken)
        #expect(next.outcome == "200" && next["scope"] == "openid email", "what was granted stays granted")
    }

    @Test("group 27: a scope that was never granted is not reached by way of a narrower token")
    func climbing() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server), scope: "openid")
        let narrow = try await app.refresh(tokens.refreshToken, scope: "openid")

        for scope in ["openid profile", "profile", "openid profile email offline_access"] {
            #expect(try await app.refresh(narrow.refreshToken, scope: scope).outcome == "400 invalid_scope")
        }
        #expect(
            try await server.get("/userinfo", headers: [.authorization: "Bearer \(narrow.accessToken)"]).json["name"]
                == nil)
    }

    @Test("group 27: a token bound to a key is refreshed with that key alone", arguments: [true, false])
    func key(_ isPublic: Bool) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: isPublic ? .none : .basic),
            scene = try await AuthorizationScene.ready(app), code = try await scene.code()
        let nothing = Reply(status: 0, headers: [:], body: ""),
            holder = Phone(server: server, key: PhoneKey(), device: "", instance: nothing),
            thief = Phone(server: server, key: PhoneKey(), device: "", instance: nothing)
        let tokens = try await app.redeem(code, headers: holder.dpop(.post, "/token"))
        try #require(tokens["token_type"] == "DPoP", "\(tokens.body)")
        func refresh(_ headers: HTTPFields) async throws -> Reply {
            try await server.post(
                "/token",
                [
                    "grant_type": "refresh_token", "refresh_token": tokens.refreshToken,
                    "client_id": isPublic ? app.id : nil,
                ], headers: (isPublic ? [:] : app.basic).merging(headers))
        }

        #expect(try await refresh([:]).outcome == "400 invalid_grant")
        #expect(try await refresh(try thief.dpop(.post, "/token")).outcome == "400 invalid_grant")
        #expect(try await refresh(try holder.dpop(.post, "/userinfo")).outcome == "400 invalid_dpop_proof")
        let next = try await refresh(try holder.dpop(.post, "/token"))
        #expect(
            next.outcome == "200" && next["token_type"] == "DPoP"
                && claims(of: next.accessToken)["cnf"]?["jkt"] == .string(holder.key.thumbprint))
    }
}

extension HTTPFields {
    fileprivate func merging(_ others: HTTPFields) -> HTTPFields {
        others.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
