import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Many at once, on two nodes that share nothing but the database.
@Suite("Attacks on the token endpoint: races (groups 25 and 30)", .server, .serialized)
struct TokensRaceTests {
    // MARK: Group 25

    @Test(
        "group 25: of all that refresh one token at once, on two nodes, each gets the same child; the family lives",
        arguments: [2, 3, 10, 50])
    func refresh(_ racers: Int) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp()
        try await server.withReplica { replica in
            let nodes = [app, WebApp(server: replica, id: app.id, secret: app.secret)]
            var tokens = try await app.logIn(Browser(server))
            for round in 0..<5 {
                let parent = tokens

                let replies = try await crowd(racers) { try await nodes[$0 % 2].refresh(parent.refreshToken) }

                #expect(Set(replies.map(\.outcome)) == ["200"], "round \(round)")
                #expect(
                    Set(replies.map(\.refreshToken)).count == 1 && Set(replies.map(\.jti)).count == 1
                        && replies[0].jti != parent.jti, "round \(round)")
                for node in nodes { #expect(try await node.userInfo(replies[racers - 1].accessToken).outcome == "200") }
                tokens = replies[0]
            }
            let sequence: Int = try await server.database.value(
                "select sequence::bigint from family where client = \(app.id)")
            #expect(sequence == 5)
        }
    }

    @Test("group 25: a phone's token, on two nodes", arguments: [2, 50])
    func refreshPhone(_ racers: Int) async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        try await server.withReplica { replica in
            let nodes = [phone, Phone(server: replica, key: phone.key, device: phone.device, instance: phone.instance)]

            let replies = try await crowd(racers) { try await nodes[$0 % 2].refresh(pat.refreshToken) }

            #expect(
                Set(replies.map(\.outcome)) == ["200"] && Set(replies.map(\.refreshToken)).count == 1
                    && Set(replies.map(\.jti)).count == 1)
            #expect(try await phone.refresh(replies[0].refreshToken).outcome == "200")
        }
    }

    @Test(
        "group 25: after the grace window all racers are refused, and the family is revoked once", arguments: [2, 50])
    func reuse(_ racers: Int) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), first = try await app.logIn(Browser(server)),
                next = try await app.refresh(first.refreshToken)
            server.time.advance(11)
            try await server.withReplica { replica in
                let nodes = [app, WebApp(server: replica, id: app.id, secret: app.secret)]

                let replies = try await crowd(racers) { try await nodes[$0 % 2].refresh(first.refreshToken) }

                #expect(Set(replies.map(\.outcome)) == ["400 invalid_grant"])
                let revocations: Int = try await server.database.value("select count(*) from revocation"),
                    told: Int = try await server.database.value("select count(*) from audit where action = 'revoke'")
                #expect(revocations == 1 && told == 1)
                #expect(try await app.refresh(next.refreshToken).outcome == "400 invalid_grant")
            }
        }
    }

    @Test("group 25: the last moment of the grace window still gives the child, the next ends the family")
    func window() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), first = try await app.logIn(Browser(server)),
                next = try await app.refresh(first.refreshToken)
            server.time.advance(RefreshFamily.graceWindow)
            #expect(try await app.refresh(first.refreshToken).refreshToken == next.refreshToken)
            server.time.advance(0.001)
            #expect(try await app.refresh(first.refreshToken).outcome == "400 invalid_grant")
            #expect(try await app.userInfo(next.accessToken).outcome == "401 invalid_token")
        }
    }

    // MARK: Group 30

    private func living(_ replies: [Reply], in server: TestServer) async throws -> Int {
        var count = 0
        for reply in replies where reply.status == 200 {
            let id = try #require(NodeID(reply.jti))
            if try await server.parts.store.find(id)?.isLive(at: server.parts.time.now) == true { count += 1 }
        }
        return count
    }

    @Test(
        "group 30: a client that deletes itself while it mints leaves no live token, on either node", arguments: 0..<4)
    func deleted(_ round: Int) async throws {
        let server = try TestServer.ofSuite, token = try await server.initialAccessToken()
        let registered = try await server.post(
            "/register", json: ["client_name": "Short-lived", "grant_types": ["client_credentials"]],
            headers: [.authorization: "Bearer \(token)"])
        let id = registered.clientID, app = WebApp(server: server, id: id, secret: registered["client_secret"] ?? "")
        try #require(registered.outcome == "201", "\(registered.body)")
        try await server.withReplica { replica in
            let replies = try await crowd(41) { number in
                guard number != 10 * round else {
                    return try await server.send(
                        .delete, "/register/\(id)",
                        headers: [.authorization: "Bearer \(registered["registration_access_token"] ?? "")"])
                }
                return try await (number % 2 == 0 ? server : replica).post(
                    "/token", ["grant_type": "client_credentials"], headers: app.basic)
            }

            #expect(replies[10 * round].status == 204)
            #expect(
                Set(replies.map(\.outcome)).isSubset(of: ["200", "204", "401 invalid_client"]),
                "\(Set(replies.map(\.outcome)))")
            #expect(try await living(replies.filter { $0.status == 200 }, in: server) == 0)
            #expect(
                try await server.post("/token", ["grant_type": "client_credentials"], headers: app.basic).outcome
                    == "401 invalid_client")
        }
    }

    @Test(
        """
        group 30: when a client's root is revoked, what it minted before is dead, and what lives hangs below a new \
        root
        """,
        arguments: 0..<3)
    func revokedRoot(_ round: Int) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(grants: ["client_credentials"])
        try await server.withReplica { replica in
            let mint: @Sendable (Int) async throws -> Reply = {
                try await ($0 % 2 == 0 ? server : replica).post(
                    "/token", ["grant_type": "client_credentials"], headers: app.basic)
            }
            let before = try await crowd(10, mint),
                root: NodeID = try await server.database.value(
                    "select id from ancestor where kind = 'client' and name = \(app.id)")

            let during = try await crowd(41) { number in
                guard number == 20 else { return try await mint(number) }
                try await server.parts.revocation.revoke(.virtual(Ancestor(.client, app.id)), by: .server)
                return Reply(status: 0, headers: [:], body: "")
            }

            #expect(Set(during.map(\.outcome)).isSubset(of: ["200", "0", "401 invalid_client"]))
            #expect(try await living(before, in: server) == 0)
            for reply in during where reply.status == 200 {
                guard let row = try await server.parts.store.find(try #require(NodeID(reply.jti))) else { continue }
                #expect(
                    row.isLive(at: server.parts.time.now) != row.lineage.contains(root),
                    "live, or below the root that was revoked")
            }
        }
    }

    @Test(
        """
        group 30: consent withdrawn while codes are redeemed and tokens refreshed leaves nothing alive of that \
        person at that client
        """,
        arguments: 0..<3)
    func withdrawn(_ round: Int) async throws {
        let server = try TestServer.ofSuite, user = try await server.newcomer(),
            scene = try await AuthorizationScene.ready(try await server.webApp(), as: user), app = scene.app
        var codes: [String] = [], pairs: [Reply] = []
        for _ in 0..<10 { codes.append(try await scene.code()) }
        for _ in 0..<10 { pairs.append(try await app.redeem(try await scene.code())) }
        let (shown, held) = (codes, pairs),
            form = Browser.form(try await scene.browser.open(.get, "/account"), action: "/account/withdraw").fields
        try await server.withReplica { replica in
            let nodes = [app, WebApp(server: replica, id: app.id, secret: app.secret)]

            let replies = try await crowd(21) { number in
                switch number {
                case 10: try await scene.browser.open(.post, "/account/withdraw", form: form)
                case ..<10: try await nodes[number % 2].redeem(shown[number])
                default: try await nodes[number % 2].refresh(held[number - 11].refreshToken)
                }
            }

            #expect(replies[10].status == 303)
            #expect(
                Set(replies.map(\.outcome)).isSubset(of: ["200", "303", "400 invalid_grant"]),
                "\(Set(replies.map(\.outcome)))")
            #expect(try await living(replies + held, in: server) == 0)
            for reply in replies + held where reply.status == 200 {
                #expect(try await app.refresh(reply.refreshToken).outcome == "400 invalid_grant")
            }
        }
    }

    @Test("group 30: a phone that is disconnected while it logs in, asks and redeems keeps nothing", arguments: 0..<3)
    func phone(_ round: Int) async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        var codes: [String] = []
        for _ in 0..<5 { codes.append(try #require(try await phone.logInForCode()["authorization_code"])) }
        let shown = codes
        try await server.withReplica { replica in
            let nodes = [phone, Phone(server: replica, key: phone.key, device: phone.device, instance: phone.instance)]

            let replies = try await crowd(21) { number in
                let node = nodes[number % 2]
                switch number {
                case 5:
                    return try await phone.server.send(
                        .delete, "/instances/\(phone.clientID)",
                        headers: phone.dpop(.delete, "/instances/\(phone.clientID)", token: pat.accessToken))
                case ..<5: return try await node.redeem(code: shown[number])
                case ..<13: return try await node.refresh(phone.instance.refreshToken)
                default: return try await node.refresh(pat.refreshToken)
                }
            }

            // A redeemed code is a new login, which ends the token that wanted to disconnect: then it is done from
            // outside.
            if replies[5].status != 204 {
                try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            }
            #expect(!replies.contains { $0.status >= 500 })
            #expect(try await living(replies.filter { $0.status == 200 } + [pat, phone.instance], in: server) == 0)
            #expect(try await phone.logInForCode().outcome == "401 invalid_token")
        }
    }
}
