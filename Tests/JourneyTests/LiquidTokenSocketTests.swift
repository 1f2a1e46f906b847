import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("liquid: sockets that are opened with a token", .server)
struct LiquidTokenSocketTests {
    private static let polling = "/socket.io/?EIO=4&transport=polling",
        websocket = "/socket.io/?EIO=4&transport=websocket", request = "019097ff-bb8c-7d2a-9822-7c9eb2c0d4"

    /// A polling socket with what its CONNECT shows; what comes back first.
    private func connected(_ shown: JSONObject, in server: TestServer) async throws -> (sid: String, answer: String) {
        let opened = try await server.get(Self.polling),
            hello = try JSONReader.read(Array(opened.body.dropFirst().utf8))
        let sid = try #require(hello["sid"]?.string), path = "\(Self.polling)&sid=\(sid)"
        _ = try await server.send(.post, path, body: Array(("40" + JSONValue.object(shown).text).utf8))
        return (sid, try await server.get(path).body)
    }

    private func open(_ headers: HTTPFields) async throws -> Reply {
        try await TestServer.ofSuite.get(Self.polling, headers: headers)
    }

    @Test("a token in the handshake opens a socket without a cookie; a second one is of the same session")
    func header() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)
        let token = try await phone.liquidApp().app
        let one = try await open([.authorization: "Bearer \(token.accessToken)"]),
            two = try await open([.authorization: "Bearer \(token.accessToken)"])
        let id = try #require(NodeID(token.jti))
        let sessions: Int = try await server.database.value(
            """
            select count(*) from liquid_session x join token t on t.family = x.begun_by
            where t.id = \(id) and x.wallet is null
                and abs(extract(epoch from x.token_until - t.expires_at)) < 1
            """)

        #expect(one.status == 200 && one.body.hasPrefix("0{") && one.headers[.setCookie] == nil && two.status == 200)
        #expect(sessions == 1)
    }

    @Test("what is no token for signalling is refused at the handshake, with its status and challenge")
    func refusedHandshake() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server), key = PhoneKey()
        let narrow = try await phone.liquidApp(scope: "org.w3.webauthn").app.accessToken,
            bound = try await phone.liquidApp(appKey: key).app.accessToken,
            other = try await phone.tiqrApp().app.accessToken
        let none = try await open([.authorization: "Bearer nonsense"]),
            scope = try await open([.authorization: "Bearer \(narrow)"]),
            foreign = try await open([.authorization: "Bearer \(other)"]),
            bare = try await open([.authorization: "Bearer \(bound)"]),
            stolen = try await open(phone.dpop(.get, "/socket.io/", token: bound))
        let proof = try phone.proof(.get, "/socket.io/", token: bound, by: key)
        let proven = try await open([.authorization: "DPoP \(bound)", .proof: proof]),
            replayed = try await open([.authorization: "DPoP \(bound)", .proof: proof])

        #expect(none.outcome == "401 invalid_token" && none.headers[.wwwAuthenticate] != nil)
        #expect(scope.outcome == "403 insufficient_scope" && foreign.outcome == "401 invalid_token")
        #expect(bare.outcome == "401 invalid_token" && stolen.outcome == "401 invalid_token")
        #expect(proven.status == 200 && replayed.outcome == "401 invalid_dpop_proof")
    }

    @Test(
        "whatever stands where a token should is refused, and ends no server",
        arguments: [
            ["access_token": ""], ["access_token": 1], ["access_token": ["a": "b"]], ["access_token": "a b"],
            ["access_token": "é"], ["access_token": "x", "token_type": "mac"], ["access_token": "x", "token_type": 1],
            ["access_token": "x", "dpop": []], ["access_token": "x", "dpop": "x"],
        ] as [JSONObject])
    func hostile(_ shown: JSONObject) async throws {
        let answer = try await connected(shown, in: TestServer.ofSuite).answer
        #expect(answer.hasPrefix("44{") && answer.contains(#""code":"invalid_"#), "\(answer)")
    }

    /// Both frames of an end, after whatever else came.
    private static func end(_ page: inout RawConnection) async throws -> [String] {
        var heard = try await page.text()
        while !heard.hasPrefix(#"42["token:ended""#) { heard = try await page.text() }
        return [heard, try await page.text(), try await page.text()]
    }

    private func socket(
        of server: TestServer, _ headers: [String],
        _ body: @escaping @Sendable (inout RawConnection) async throws -> Void
    ) async throws {
        try await server.listening(nil) { port in
            let signalling = Task { await server.parts.liquid.signalling.run() }
            defer { signalling.cancel() }
            try await RawConnection.open(port) { page in
                try await page.ask(RawConnection.upgrade(Self.websocket, headers))
                #expect(try await page.answer().head.hasPrefix("HTTP/1.1 101"))
                _ = try await page.text()
                try await page.say("40")
                _ = try await page.text()
                try await body(&page)
            }
        }
    }

    enum Cut: CaseIterable, Sendable { case token, account, session, expiry }

    @Test("a socket hears that its token has ended, and closes, whatever ended it", arguments: Cut.allCases)
    func ended(_ cut: Cut) async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), phone = try await Phone.registered(in: server)
            let app = try await phone.liquidApp(as: account.username).app, token = app.accessToken
            let id = try #require(NodeID(app.jti))
            try await socket(of: server, ["Authorization: Bearer \(token)"]) { page in
                switch cut {
                case .token:
                    let family: NodeID = try await server.database.value("select family from token where id = \(id)")
                    try await server.parts.revocation.revoke(.token(family), by: .server)
                case .account:
                    // As an event of the IdP does it: a node of the lineage that is nothing here but a name.
                    let lineage: [NodeID] = try await server.database.value(
                        "select lineage from token where id = \(id)")
                    try await server.database.atomically {
                        try await server.parts.revocation.revokeForeign(lineage[0], label: "test", by: .server, in: $0)
                    }
                case .session:
                    let session: String = try await server.database.value("select id from liquid_session")
                    try await server.parts.revocation.revoke(
                        .virtual(Ancestor(.session, "liquid:" + session)), by: .server)
                case .expiry: server.time.advance(86_400)
                }
                let last = try await Self.end(&page)
                let reason = cut == .expiry ? "token_expired" : "token_revoked"
                #expect(last == [#"42["token:ended",{"reason":"\#(reason)"}]"#, "41", "close 1000"])
                // While the hub runs: at its end it takes nobody.
                let again = try await server.get(Self.polling, headers: [.authorization: "Bearer \(token)"])
                #expect(again.status == (cut == .session ? 200 : 401), "\(cut)")
            }
        }
    }

    @Test("a socket of a token is a side of a link like any other")
    func linked() async throws {
        try await TestServer.with { server in
            let token = try await Phone.registered(in: server).liquidApp().app.accessToken
            try await socket(of: server, ["Authorization: Bearer \(token)"]) { page in
                try await page.say(#"427["link",{"requestId":"\#(Self.request)19"}]"#)
                var wallet = WalletDevice()
                let entered = try await wallet.register(in: server, requestID: .string(Self.request + "19"))
                var heard = try await page.text()
                while !heard.hasPrefix("437") { heard = try await page.text() }
                #expect(entered.status == 201 && heard.contains(wallet.address))
            }
            let until: Bool = try await server.database.value(
                "select expires_at <= token_until from liquid_session where begun_by is not null")
            #expect(until, "a link prolongs nothing beyond the token")
        }
    }
}
