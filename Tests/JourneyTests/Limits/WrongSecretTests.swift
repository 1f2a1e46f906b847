import Base
import Foundation
import HTTPTypes
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

    @Test("a client whom this process never saw waits like who is wrong, until the address has calmed down")
    func unseen() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            for number in 0..<Self.most { _ = try await ask(server, "nobody\(number)", "x", from: Self.place) }

            #expect(try await ask(server, app.id, app.secret, from: Self.place).outcome == "429 slow_down")
            server.time.advance(1)
            #expect(try await ask(server, app.id, app.secret, from: Self.place).status == 200)
        }
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
