import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Codes that are shown twice, by many, or by somebody else.
@Suite("Attacks on the token endpoint: codes (groups 17 to 19)", .server, .serialized)
struct TokensCodeTests {
    enum ClientKind: Sendable, CaseIterable { case confidential, `public`, phone }

    /// A code with everything that its holder needs to redeem it, and to use and lose what came of it.
    private struct Redeemer: Sendable {
        let redeem: @Sendable () async throws -> Reply
        let refresh: @Sendable (String) async throws -> Reply
        let isLive: @Sendable (String) async throws -> Bool
    }

    private func redeemer(_ holder: ClientKind, _ server: TestServer) async throws -> Redeemer {
        guard holder != .phone else {
            let phone = try await Phone.registered(in: server),
                code = try #require(try await phone.logInForCode()["authorization_code"])
            return Redeemer(
                redeem: { try await phone.redeem(code: code) }, refresh: { try await phone.refresh($0) },
                isLive: { try await phone.get("/userinfo", token: $0).status == 200 })
        }
        let app = try await server.webApp(method: holder == .public ? .none : .basic),
            scene = try await AuthorizationScene.ready(app), code = try await scene.code()
        return Redeemer(
            redeem: { try await app.redeem(code) }, refresh: { try await app.refresh($0) },
            isLive: { try await app.userInfo($0).status == 200 })
    }

    // MARK: Group 17

    @Test(
        "group 17: a code shown again ends every token that came of it, a second later or long after it expired",
        arguments: ClientKind.allCases)
    func replay(_ holder: ClientKind) async throws {
        try await TestServer.with { server in
            let other = try await redeemer(holder, server), untouched = try await other.redeem()
            for seconds in [1, 30, 59, 61, 600] as [TimeInterval] {
                let redeemer = try await redeemer(holder, server), first = try await redeemer.redeem(),
                    second = try await redeemer.refresh(first.refreshToken)
                try #require(second.outcome == "200")
                for token in [first, second] { #expect(try await redeemer.isLive(token.accessToken)) }
                server.time.advance(seconds)

                #expect(try await redeemer.redeem().outcome == "400 invalid_grant", "\(seconds)")

                for token in [first, second] { #expect(try await !redeemer.isLive(token.accessToken), "\(seconds)") }
                for token in [first, second] {
                    #expect(try await redeemer.refresh(token.refreshToken).outcome == "400 invalid_grant", "\(seconds)")
                }
                #expect(try await redeemer.redeem().outcome == "400 invalid_grant", "\(seconds)")
            }
            #expect(try await other.isLive(untouched.accessToken), "another code's tokens live on")
        }
    }

    @Test(
        """
        group 17: a client that lost the first answer and asks again is refused, what it never saw is ended, and a \
        new login works
        """,
        arguments: ClientKind.allCases)
    func lostAnswer(_ holder: ClientKind) async throws {
        let server = try TestServer.ofSuite, redeemer = try await redeemer(holder, server)
        // Seen by nobody but this test.
        let lost = try await redeemer.redeem()
        try #require(lost.outcome == "200")

        #expect(try await redeemer.redeem().outcome == "400 invalid_grant")

        #expect(try await !redeemer.isLive(lost.accessToken))
        #expect(try await redeemer.refresh(lost.refreshToken).outcome == "400 invalid_grant")
        let again = try await self.redeemer(holder, server), next = try await again.redeem()
        #expect(try await again.isLive(next.accessToken))
    }

    @Test(
        """
        group 17: who shows a used code without being its holder ends nothing: neither another client, nor a wrong \
        verifier, nor a stranger
        """
    )
    func noDenial() async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code(),
            tokens = try await scene.app.redeem(code), other = try await scene.server.webApp("Other")

        #expect(try await other.redeem(code).outcome == "400 invalid_grant")
        #expect(
            try await scene.app.redeem(code, verifier: String(repeating: "a", count: 43)).outcome == "400 invalid_grant"
        )
        #expect(try await scene.app.redeem(code, redirectURI: "https://evil.example/").outcome == "400 invalid_grant")
        #expect(
            try await WebApp(server: scene.server, id: scene.app.id, secret: "guess").redeem(code).outcome
                == "401 invalid_client")
        #expect(try await scene.app.userInfo(tokens.accessToken).outcome == "200")
    }

    // MARK: Group 18

    // 1,000 rounds take minutes in a debug build; a lost race shows in the first few, since each is 50 at once on two
    // nodes.
    @Test(
        "group 18: of 50 that redeem one code at once on two nodes exactly one gets tokens, and those are ended",
        arguments: [ClientKind.confidential, .public])
    func race(_ holder: ClientKind) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: holder == .public ? .none : .basic),
            scene = try await AuthorizationScene.ready(app)
        try await server.withReplica { replica in
            let nodes = [app, WebApp(server: replica, id: app.id, secret: app.secret)]
            for round in 0..<8 {
                let code = try await scene.code()

                let replies = try await crowd(50) { try await nodes[$0 % 2].redeem(code) }

                #expect(replies.count { $0.status == 200 } == 1, "round \(round)")
                #expect(
                    Set(replies.filter { $0.status != 200 }.map(\.outcome)) == ["400 invalid_grant"], "round \(round)")
                let winner = try #require(replies.first { $0.status == 200 })
                #expect(
                    try await app.userInfo(winner.accessToken).outcome == "401 invalid_token",
                    "shown 49 times more: round \(round)")
            }
            let families: Int = try await server.database.value("select count(*) from family where client = \(app.id)")
            #expect(families == 8, "one family a code")
        }
    }

    @Test("group 18: a phone's code, on two nodes")
    func racePhone() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        try await server.withReplica { replica in
            let nodes = [phone, Phone(server: replica, key: phone.key, device: phone.device, instance: phone.instance)]
            for round in 0..<4 {
                let code = try #require(try await phone.logInForCode()["authorization_code"])

                let replies = try await crowd(50) { try await nodes[$0 % 2].redeem(code: code) }

                #expect(
                    replies.count { $0.status == 200 } == 1
                        && Set(replies.filter { $0.status != 200 }.map(\.outcome)) == ["400 invalid_grant"],
                    "round \(round)")
            }
        }
    }

    // MARK: Group 19

    /// How a code is spoilt; what it gets, and whether the right client can still redeem it.
    struct Spoilt: Sendable, CustomTestStringConvertible {
        let testDescription: String, outcome: String
        let redeem: @Sendable (AuthorizationScene, String) async throws -> Reply

        init(
            _ what: String, _ outcome: String = "400 invalid_grant",
            _ redeem: @escaping @Sendable (AuthorizationScene, String) async throws -> Reply
        ) {
            (testDescription, self.outcome, self.redeem) = (what, outcome, redeem)
        }

        /// Another spelling of the code.
        static func spelled(
            _ what: String, _ outcome: String = "400 invalid_grant", _ change: @escaping @Sendable (String) -> String
        ) -> Spoilt {
            Spoilt(what, outcome) { try await $0.app.redeem(change($1)) }
        }
    }

    @Test(
        "group 19: a code is its client's, for its redirect URI, in its one spelling; none of these uses it up",
        arguments: [
            Spoilt("by another client") { try await $0.server.webApp("Other").redeem($1) },
            Spoilt("by a public client") { try await $0.server.webApp("Other", method: .none).redeem($1) },
            Spoilt("by its client without credentials", "401 invalid_client") {
                try await WebApp(server: $0.server, id: $0.app.id, secret: "").redeem($1)
            },
            Spoilt("by nobody", "401 invalid_client") { scene, code in
                try await scene.server.post(
                    "/token",
                    [
                        "grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier,
                        "redirect_uri": Browser.callback,
                    ])
            },
            Spoilt("by a phone", "401 invalid_client") { try await Phone.registered(in: $0.server).redeem(code: $1) },
            Spoilt("in the name of another client", "400 invalid_request") { scene, code in
                let other = try await scene.server.webApp("Other")
                return try await scene.server.post(
                    "/token",
                    [
                        "grant_type": "authorization_code", "code": code, "code_verifier": Phone.verifier,
                        "redirect_uri": Browser.callback, "client_id": other.id,
                    ],
                    headers: scene.app.basic)
            },
            Spoilt("without redirect_uri") { try await $0.app.redeem($1, redirectURI: nil) },
            Spoilt("with an empty redirect_uri") { try await $0.app.redeem($1, redirectURI: "") },
            Spoilt("with another redirect_uri") { try await $0.app.redeem($1, redirectURI: "https://evil.example/") },
            Spoilt("with a longer redirect_uri") { try await $0.app.redeem($1, redirectURI: Browser.callback + "/") },
            Spoilt("with a redirect_uri in capitals") {
                try await $0.app.redeem($1, redirectURI: Browser.callback.uppercased())
            },
            .spelled("without its last letter") { String($0.dropLast()) },
            .spelled("without its last four") { String($0.dropLast(4)) },
            .spelled("without its first letter") { String($0.dropFirst()) },
            .spelled("with a letter more") { $0 + "A" }, .spelled("with four more") { $0 + "AAAA" },
            .spelled("doubled") { $0 + $0 }, .spelled("padded") { $0 + "=" },
            .spelled("with a blank before") { " " + $0 }, .spelled("with a line end behind") { $0 + "\n" },
            .spelled("in small letters") { $0.lowercased() }, .spelled("in capitals") { $0.uppercased() },
            .spelled("in quotes") { "\"\($0)\"" },
            .spelled("encoded twice") { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
            .spelled("empty", "400 invalid_request") { _ in "" },
            .spelled("one bit of the secret flipped") { flipped($0, 47, 1) },
            .spelled("the first bit of the secret flipped") { flipped($0, 16, 128) },
            .spelled("one bit of the node flipped") { flipped($0, 15, 1) },
            .spelled("the time of the node moved") { flipped($0, 3, 1) },
            .spelled("a year of the node moved") { flipped($0, 0, 255) },
            .spelled("the node alone") { Base64URL.encode((Base64URL.decode($0) ?? [])[..<16]) },
        ])
    func spoilt(_ spoilt: Spoilt) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()

        let reply = try await spoilt.redeem(scene, code)

        #expect(reply.outcome == spoilt.outcome, "\(reply.body)")
        #expect(try await scene.app.redeem(code).outcome == "200", "it was not used up")
    }

    static func flipped(_ code: String, _ index: Int, _ bits: UInt8) -> String {
        guard var bytes = Base64URL.decode(code), bytes.indices.contains(index) else { return "" }
        bytes[index] ^= bits
        return Base64URL.encode(bytes)
    }

    @Test("group 19: a code that was issued without naming the one registered URI is redeemed so, or with it")
    func unnamed() async throws {
        let scene = try await AuthorizationScene.ready()

        for uri in [nil, Browser.callback] {
            #expect(
                try await scene.app.redeem(try await scene.code(["redirect_uri": nil]), redirectURI: uri).outcome
                    == "200")
        }
        #expect(
            try await scene.app.redeem(
                try await scene.code(["redirect_uri": nil]), redirectURI: "https://evil.example/"
            ).outcome == "400 invalid_grant")
    }

    @Test("group 19: a code lives for a minute", arguments: ClientKind.allCases)
    func expired(_ holder: ClientKind) async throws {
        try await TestServer.with { server in
            let late = try await redeemer(holder, server), early = try await redeemer(holder, server)
            server.time.advance(59)
            #expect(try await early.redeem().outcome == "200")
            server.time.advance(1)
            #expect(try await late.redeem().outcome == "400 invalid_grant")
        }
    }

    @Test(
        "group 19: a code dies with what it hangs below",
        arguments: ["the grant", "the session", "the client", "the person"])
    func orphan(_ what: String) async throws {
        let server = try TestServer.ofSuite, user = try await server.newcomer(),
            scene = try await AuthorizationScene.ready(try await server.webApp(), as: user),
            code = try await scene.code()
        switch what {
        case "the grant":
            let page = try await scene.browser.open(.get, "/account")
            _ = try await scene.browser.open(
                .post, "/account/withdraw", form: Browser.form(page, action: "/account/withdraw").fields)
        case "the session":
            _ = try await scene.browser.submit(try await scene.browser.open(.get, "/logout"))
        case "the client":
            try await server.database.execute(
                "update client set grant_types = '{client_credentials}' where id = \(scene.app.id)")
        default:
            try await server.database.execute("update account set status = 'suspended' where username = \(user)")
        }

        #expect(
            try await scene.app.redeem(code).outcome
                == (what == "the client" ? "400 unauthorized_client" : "400 invalid_grant"))
    }
}
