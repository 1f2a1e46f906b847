import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@testable import Liquid

@Suite("liquid: what a page that wants a wallet is given", .server)
struct LiquidPageTests {
    private static let ice = "/services/liquid/ice", secret = "a secret of both"

    /// A server with STUN and TURN.
    private func relayed(
        lasting lifetime: Int = 600, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "turn-\(UUID().uuidString)")
        try Data("\(LiquidPageTests.secret)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let flags = [
            "liquid-stun-urls": "stun:turn.example.org:3478",
            "liquid-turn-urls": "turn:turn.example.org:3478?transport=udp, turns:turn.example.org:5349",
            "liquid-turn-secret": file.path, "liquid-turn-lifetime": "\(lifetime)",
        ]
        var options = TestServerOptions(flags: flags)
        options.isServing = true
        try await TestServer.with(options: options, body)
    }

    @Test("a wallet gets STUN, and TURN with a name that ends and the password that is made of it")
    func credentials() async throws {
        try await relayed { server in
            var wallet = WalletDevice()
            _ = try await wallet.register(in: server)

            let reply = try await wallet.send(.get, LiquidPageTests.ice, in: server)
            let servers = reply.json["iceServers"]?.array ?? [],
                username = servers.last?["username"]?.string ?? "", parts = username.split(separator: ":")
            let password = Digest.hmacSHA1(key: SecretBytes(Array(LiquidPageTests.secret.utf8)), username.utf8)

            #expect(reply.status == 200 && reply.json["ttl"] == 600 && reply[header: "Cache-Control"] == "no-store")
            #expect(servers.count == 2 && servers.first == ["urls": ["stun:turn.example.org:3478"]])
            #expect(
                servers.last?["urls"]
                    == ["turn:turn.example.org:3478?transport=udp", "turns:turn.example.org:5349"])
            #expect(parts.count == 2 && parts.first.map(String.init) == "\(server.now + 600)")
            #expect(servers.last?["credential"]?.string == Data(password).base64EncodedString())
        }
    }

    @Test("they are over when the session is that they are for, however long they would be good")
    func bounded() async throws {
        try await relayed(lasting: 86_400) { server in
            let account = try await server.newResident(),
                app = try await Phone.registered(in: server).liquidApp(as: account.username).app

            let reply = try await server.send(
                .get, LiquidPageTests.ice, headers: [.authorization: "Bearer \(app.accessToken)"])
            let seconds = try #require(reply.json["ttl"]?.integer),
                username = reply.json["iceServers"]?.array?.last?["username"]?.string ?? ""

            // That of the token: an hour, of which a part of a second may be lost.
            #expect(reply.status == 200 && (3_599...3_600).contains(seconds))
            #expect(username.hasPrefix("\(server.now + seconds):"))
        }
    }

    @Test("nobody who is nobody gets any, and no wallet more than so many: 403, and 429 with the seconds")
    func refused() async throws {
        try await relayed { server in
            var wallet = WalletDevice()
            _ = try await wallet.register(in: server)

            let stranger = try await server.get(LiquidPageTests.ice)
            for _ in 0..<30 { _ = try await wallet.send(.get, LiquidPageTests.ice, in: server) }
            let greedy = try await wallet.send(.get, LiquidPageTests.ice, in: server)
            _ = try await wallet.send(.get, "/auth/logout", in: server)
            let left = try await wallet.send(.get, LiquidPageTests.ice, in: server)

            #expect(stranger.status == 403 && stranger.error == "Forbidden" && stranger.json["iceServers"] == nil)
            #expect(greedy.status == 429 && greedy.error == "Too many requests" && greedy[header: "Retry-After"] == "5")
            #expect(left.status == 403)
        }
    }

    @Test(
        "a token for signalling gets them without a wallet, in its session's name, so many, and until it is revoked"
    )
    func token() async throws {
        try await relayed { server in
            let account = try await server.newResident(), other = try await server.newResident()
            let app = try await Phone.registered(in: server).liquidApp(as: account.username).app
            let wrong = try await Phone.registered(in: server).liquidApp(as: other.username, scope: "org.w3.webauthn")
                .app
            func ask(_ token: String, origin: String? = nil) async throws -> Reply {
                var headers: HTTPFields = [.authorization: "Bearer \(token)"]
                headers[.origin] = origin
                return try await server.send(.get, LiquidPageTests.ice, headers: headers)
            }

            let reply = try await ask(app.accessToken),
                foreign = try await ask(app.accessToken, origin: "https://evil.example")
            let scope = try await ask(wrong.accessToken), made = try await ask("made-up")
            for _ in 0..<29 { _ = try await ask(app.accessToken) }
            let greedy = try await ask(app.accessToken)
            let families = try await server.database.query(
                "select x.begun_by from liquid_session x where x.begun_by is not null"
            ).map { try $0("begun_by") as NodeID }
            for family in families { try await server.parts.revocation.revoke(.token(family), by: .server) }
            let late = try await ask(app.accessToken)
            let username = reply.json["iceServers"]?.array?.last?["username"]?.string ?? ""
            let session = try await server.database.query(
                "select x.id from liquid_session x where x.begun_by is not null"
            ).map { try $0("id") as String }

            #expect(reply.status == 200 && reply[header: "Set-Cookie"] == nil)
            #expect(session.count == 1 && username.split(separator: ":").last.map(String.init) == session.first)
            #expect(foreign.status == 403 && foreign.json["iceServers"] == nil)
            #expect(scope.outcome == "403 insufficient_scope" && made.outcome == "401 invalid_token")
            #expect(made[header: "WWW-Authenticate"] != nil)
            #expect(greedy.status == 429 && greedy[header: "Retry-After"] == "5")
            #expect(families.count == 1 && late.outcome == "401 invalid_token")
        }
    }

    @Test("pages of other hosts get none, and where none is configured there is an empty list")
    func none() async throws {
        let server = try TestServer.ofSuite
        var wallet = WalletDevice()
        _ = try await wallet.register(in: server)
        let reply = try await wallet.send(.get, LiquidPageTests.ice, in: server)
        let foreign = try await server.send(
            .get, LiquidPageTests.ice, headers: [.origin: "https://evil.example", .cookie: "connect.sid=x"])

        #expect(reply.status == 200 && reply.json["iceServers"] == [])
        #expect(foreign.status == 403)
    }

    @Test("the script is for pages of any origin, and loads nothing")
    func script() async throws {
        let server = try TestServer.ofSuite
        let reply = try await server.send(
            .get, "/services/liquid/client.js", headers: [.origin: "https://page.example"])

        #expect(reply.status == 200 && reply[header: "Content-Type"] == "text/javascript; charset=utf-8")
        #expect(reply[header: "Access-Control-Allow-Origin"] == "*" && !reply.body.contains("import("))
        #expect(reply.body.hasPrefix("// @ts-check") && reply.body.contains("export class LiquidClient"))
    }

    @Test("the demo page has a new request id each time, in its code too, and may run our script alone")
    func demo() async throws {
        let server = try TestServer.ofSuite, page = "/services/liquid/demo"
        let one = try await server.get(page), other = try await server.get(page + "?relay=1")
        let ids = [one, other].map { $0.body.firstMatch(of: #/data-request="([0-9a-f\-]{36})"/#).map { String($0.1) } }

        #expect(one.status == 200 && ids[0] != nil && ids[1] != nil && ids[0] != ids[1])
        #expect(one.body.contains("/?requestId=\(ids[0] ?? "?")\"") && one.body.contains("href=\"liquid://"))
        #expect(!one.body.contains("data-way") && other.body.contains("data-way=\"relay\""))
        #expect(
            one[header: "Content-Security-Policy"]?.hasPrefix(
                "script-src 'self'; connect-src 'self'; default-src 'none'")
                == true && one[header: "Cache-Control"] == "no-store")
    }
}
