import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("Clients that are wrong again and again")
struct WrongSecretTests {
    /// So many are looked at at once.
    private static let most = 100
    private static let place = "203.0.113.7"

    private func ask(
        _ server: TestServer, _ id: String, _ secret: String, from address: String, at path: String = "/token"
    ) async throws -> Reply {
        let basic = Data("\(id):\(secret)".utf8).base64EncodedString()
        return try await server.post(
            path, ["grant_type": "client_credentials", "token": "none"],
            headers: [.authorization: "Basic \(basic)", .forwardedFor: address])
    }

    @Test("a hundred get 401, the others 429 that tells when to come back, and a second later one is looked at again")
    func slowed() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            var outcomes: [String: Int] = [:]
            for number in 0..<Self.most + 20 {
                let path = ["/token", "/introspect", "/revoke", "/par"][number % 4]
                outcomes[
                    try await ask(server, app.id, "wrong\(number)", from: Self.place, at: path).outcome, default: 0] +=
                    1
            }
            #expect(outcomes == ["401 invalid_client": Self.most, "429 slow_down": 20])

            let refused = try await ask(server, app.id, "wrong", from: Self.place)
            #expect(refused[header: "Retry-After"] == "1" && refused[header: "WWW-Authenticate"] == nil)
            #expect(refused[header: "RateLimit-Policy"] == "\"client-authentication\";q=100;w=100")
            #expect(refused[header: "RateLimit"] == "\"client-authentication\";r=0;t=1")
            server.time.advance(1)
            #expect(try await ask(server, app.id, "wrong", from: Self.place).status == 401)
            #expect(try await ask(server, app.id, "wrong", from: Self.place).status == 429)
        }
    }

    @Test("the client gets in from everywhere else, and where it has been seen from there too")
    func nobodyIsLockedOut() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            #expect(try await ask(server, app.id, app.secret, from: "198.51.100.4").status == 200)
            for number in 0..<Self.most { _ = try await ask(server, app.id, "no\(number)", from: Self.place) }
            #expect(try await ask(server, app.id, "wrong", from: Self.place).status == 429)

            let elsewhere = try await ask(server, app.id, app.secret, from: "198.51.100.4"),
                here = try await ask(server, app.id, app.secret, from: Self.place),
                neighbour = try await ask(server, app.id, "wrong", from: "203.0.113.8")

            #expect(elsewhere.status == 200 && here.status == 200 && neighbour.outcome == "401 invalid_client")
        }
    }

    @Test("of IPv6 the whole /64 is one address, and the one beside it another")
    func network() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            for number in 0..<Self.most {
                _ = try await ask(server, "nobody", "x", from: "2001:db8:1:2::\(String(number + 1, radix: 16))")
            }

            #expect(try await ask(server, "nobody", "x", from: "2001:db8:1:2:ffff::1").status == 429)
            #expect(try await ask(server, "nobody", "x", from: "2001:db8:1:3::1").status == 401)
        }
    }

    @Test("beyond the hundred the log has a line a minute with their number, and no name that could break it")
    func told() async throws {
        let log = CapturedLog()
        try await TestServer.with(options: try .forwarded(), logger: log.logger) { server in
            func lines() -> [String] { log.all.filter { $0.contains("more was asked than a limit allows") } }
            for _ in 0..<Self.most + 50 { _ = try await ask(server, "no\u{1B}body", "x", from: Self.place) }
            #expect(lines().count == 1 && lines()[0].contains("warning") && lines()[0].contains(Self.place))
            #expect(!lines()[0].contains("\u{1B}"))

            server.time.advance(60)
            for _ in 0..<Self.most { _ = try await ask(server, "nobody", "x", from: Self.place) }

            // 49 of the first minute and the first of the second.
            #expect(lines().count == 2 && lines()[1].contains("50") && lines()[1].contains("nobody"))
            let refused = log.all.filter { $0.contains("slow_down") && !$0.hasPrefix("debug") }
            #expect(refused.isEmpty)
        }
    }

    @Test("a client whom this process never saw gets in, and who is wrong in a name once a second")
    func unseen() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            for number in 0..<Self.most { _ = try await ask(server, "nobody\(number)", "x", from: Self.place) }

            let once = try await ask(server, "nobody", "x", from: Self.place),
                again = try await ask(server, "nobody", "x", from: Self.place),
                unseen = try await ask(server, app.id, app.secret, from: Self.place)

            #expect(once.outcome == "401 invalid_client" && again.outcome == "429 slow_down")
            #expect(unseen.status == 200)
        }
    }

    @Test("who was wrong in the name of a client keeps it out for no longer than they are looked at, a second")
    func inItsName() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            #expect(try await ask(server, app.id, app.secret, from: Self.place).status == 200)
            for number in 0..<Self.most { _ = try await ask(server, app.id, "no\(number)", from: Self.place) }
            let secret = try await rotate(server, app)

            let stale = try await ask(server, app.id, secret, from: Self.place)
            server.time.advance(1)
            // Takes what the second has brought, for the address and for the name; but it has the client read.
            for _ in 0..<3 { _ = try await ask(server, app.id, "no", from: Self.place) }
            let seen = try await ask(server, app.id, secret, from: Self.place)

            #expect(stale.outcome == "429 slow_down" && seen.status == 200)
        }
    }

    @Test(
        "nobody gets in by what is only remembered: not with a secret that was replaced, nor as a client that is gone")
    func onlyRemembered() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(), gone = try await server.webApp(), paths = ["/par", "/token"]
            func push(_ app: WebApp, _ path: String) async throws -> Reply {
                let basic = Data("\(app.id):\(app.secret)".utf8).base64EncodedString()
                return try await server.post(
                    path, ["grant_type": "refresh_token", "refresh_token": "none"],
                    headers: [.authorization: "Basic \(basic)", .forwardedFor: Self.place])
            }
            for app in [app, gone] {
                for path in paths { #expect(try await push(app, path).status == 400, "\(path) lets it in") }
            }
            for number in 0..<Self.most { _ = try await ask(server, "nobody\(number)", "x", from: Self.place) }
            _ = try await rotate(server, app)
            let clients = WebClientStore(clock: server.time.clock, randomness: .system)
            #expect(try await clients.delete(gone.id, in: server.database))

            for app in [app, gone] {
                let refused = try await push(app, "/par"), again = try await push(app, "/token")
                #expect(refused.outcome == "401 invalid_client" && again.outcome == "429 slow_down")
            }
        }
    }

    private func rotate(_ server: TestServer, _ app: WebApp) async throws -> String {
        let clients = WebClientStore(clock: server.time.clock, randomness: .system)
        return try await server.database.atomically { transaction in
            let client = try #require(try await clients.find(app.id, locking: true, in: transaction))
            return try #require(try await clients.rotateSecret(of: client, keepingOld: nil, in: transaction)).secret
        }
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
