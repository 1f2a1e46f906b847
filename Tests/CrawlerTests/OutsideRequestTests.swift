import Base
import Testing

@testable import Crawler

@Suite("Requests to addresses that strangers name", .timeLimit(.minutes(30)))
struct OutsideRequestTests {
    private func request(
        allow: [String] = ["127.0.0.1"], deny: [String] = [], answers: [String]? = nil, loopback: Bool = false
    ) -> OutsideRequest {
        let settings = CrawlerSettings(
            allow: allow.compactMap { CIDR($0) }, deny: deny.compactMap { CIDR($0) }, userAgent: "Pando/test")
        guard let answers else { return OutsideRequest(settings, loopback: loopback) }
        return OutsideRequest(
            settings, resolver: Resolver { _ in answers.compactMap { IPAddress($0) } }, loopback: loopback)
    }

    private func trouble(
        _ request: OutsideRequest, _ url: String, limit: Int = 1_000, within time: Duration = .seconds(20)
    ) async throws -> String {
        do {
            return "status \(try await request.send(url, limit: limit, within: time).status)"
        } catch let error as OutsideRequest.Failed {
            return error.description
        }
    }

    @Test("a key set is fetched, and a push is posted, with no more than is needed")
    func asked() async throws {
        let site = try Site(["/jwks": .ok("{}", type: "application/json"), "/events": .status(202)])
        defer { site.stop() }

        let keys = try await request().send(site.origin + "/jwks", limit: 1_000, within: .seconds(20))
        let push = try await request().send(
            site.origin + "/events", post: ("a.b.c", "application/secevent+jwt"), limit: 1_000, within: .seconds(20))

        #expect(keys.status == 200 && keys.body == Array("{}".utf8) && push.status == 202)
        #expect(site.requests.map(\.method) == ["GET", "POST"] && site.requests.last?.body == "a.b.c")
        #expect(
            site.requests.last?.headers["content-type"] == "application/secevent+jwt"
                && site.requests.last?.headers["authorization"] == nil)
    }

    @Test("any method is sent as it is, and all that comes back is told, of errors too")
    func exchanged() async throws {
        let site = try Site(["/token": .status(400, headers: ["X-Told": "all"])])
        defer { site.stop() }

        let preflight = try await request().exchange(
            "OPTIONS", site.origin + "/token", headers: [("Origin", "https://app.example")], body: nil, limit: 1_000,
            within: .seconds(20))
        _ = try await request().exchange(
            "POST", site.origin + "/token", headers: [], body: Array("a=b".utf8), limit: 1_000, within: .seconds(20))

        #expect(preflight.status == 400 && preflight.headers.contains { $0.name == "X-Told" && $0.value == "all" })
        #expect(site.requests.map(\.method) == ["OPTIONS", "POST"] && site.requests.last?.body == "a=b")
        #expect(site.requests.first?.headers["origin"] == "https://app.example")
    }

    @Test("a name is connected to at the address that was checked, with its own Host header")
    func pinned() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(
            try await request(answers: ["127.0.0.1"]).send(
                "http://client.nowhere.invalid:\(site.port)/", limit: 100, within: .seconds(20)
            ).status == 200)
        #expect(site.requests.first?.headers["host"] == "client.nowhere.invalid:\(site.port)")
    }

    @Test(
        "addresses inside are not asked, and one of them refuses the name",
        arguments: [
            ["127.0.0.2"], ["10.0.0.1"], ["192.168.1.1"], ["169.254.169.254"], ["::1"], ["fd00::1"],
            ["::ffff:10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["64:ff9b::a00:1"], ["0.0.0.0"],
        ])
    func inside(answers: [String]) async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(
            try await trouble(request(answers: answers), "http://client.example:\(site.port)/").contains("is not asked")
        )
        #expect(site.requests.isEmpty)
    }

    @Test(
        "literal addresses, strange spellings, other schemes, ports and user information are refused",
        arguments: [
            "http://127.0.0.1:PORT/", "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
            "http://2130706433:PORT/", "http://0x7f.1:PORT/", "http://127.1:PORT/", "http://localhost:PORT/",
            "file:///etc/passwd", "ftp://client.example/", "https://client.example:22/", "https://a@client.example/",
            "//client.example/", "",
        ])
    func spellings(url: String) async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(try await !trouble(request(allow: []), url.replacing("PORT", with: "\(site.port)")).hasPrefix("status"))
        #expect(site.requests.isEmpty)
    }

    @Test("loopback is asked where the operator permits it; what is denied stays denied")
    func loopback() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(try await trouble(request(allow: [], loopback: true), site.origin + "/") == "status 200")
        #expect(try await trouble(request(allow: [], loopback: true), "http://localhost:\(site.port)/") == "status 200")
        #expect(
            try await trouble(request(allow: [], deny: ["127.0.0.1"], loopback: true), site.origin + "/").contains(
                "is not asked"))
    }

    @Test("what is not on this host or admitted by address is asked over TLS only")
    func plain() async throws {
        #expect(try await trouble(request(answers: ["8.8.8.8"]), "http://client.example/").contains("over TLS only"))
        #expect(
            try await trouble(request(answers: ["127.0.0.1", "8.8.8.8"], loopback: true), "http://client.example/")
                .contains("over TLS only"))
    }

    @Test("a redirect is an answer, and is not followed")
    func redirect() async throws {
        let site = try Site(["/": .move("/secret", 307), "/secret": .ok("hello")])
        defer { site.stop() }

        #expect(try await trouble(request(), site.origin + "/") == "status 307")
        #expect(site.hits("/secret") == 0)
    }

    @Test("an answer above the limit is refused: announced, streamed, or in its headers")
    func sizes() async throws {
        let site = try Site([
            "/fits": .ok(String(repeating: "a", count: 1_000)), "/large": .ok(String(repeating: "a", count: 1_001)),
            "/streamed": .raw("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "a", count: 1_001)),
            "/headers": .ok("", headers: ["X-Long": String(repeating: "a", count: 200_000)]),
        ])
        defer { site.stop() }

        #expect(try await trouble(request(), site.origin + "/fits") == "status 200")
        for path in ["/large", "/streamed", "/headers"] {
            #expect(try await !trouble(request(), site.origin + path).hasPrefix("status"), "\(path)")
        }
    }

    @Test(
        "who is posted to answers by the status, whatever body comes with it",
        arguments: [
            Site.Reply.status(202, String(repeating: "a", count: 200_000)),
            .raw("HTTP/1.1 202 X\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
            .raw("HTTP/1.1 202 X\r\nContent-Length: 50\r\n\r\nhello"),
            .raw("HTTP/1.1 204 X\r\nContent-Encoding: gzip\r\n\r\n"),
        ])
    func posted(reply: Site.Reply) async throws {
        let site = try Site(["/": reply])
        defer { site.stop() }

        let answer = try await request().send(
            site.origin + "/", post: ("a.b.c", "application/secevent+jwt"), limit: 1_000, within: .seconds(20))

        #expect([202, 204].contains(answer.status) && answer.body.isEmpty)
    }

    @Test("an answer that trickles is given up, and so is one that never comes")
    func times() async throws {
        let slow = Site.Reply(
            bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n".utf8) + [UInt8](repeating: 97, count: 100),
            pause: 0.05)
        let site = try Site(["/slow": slow])
        defer { site.stop() }

        #expect(
            try await trouble(request(), site.origin + "/slow", within: .milliseconds(300)).contains("no whole answer"))
    }

    @Test("nobody listening is told as such")
    func unreachable() async throws {
        let site = try Site()
        site.stop()

        #expect(try await !trouble(request(), site.origin + "/").hasPrefix("status"))
    }
}
