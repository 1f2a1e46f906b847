import Base
import NIOCore
import Testing

@testable import Crawler

@Suite("One request to a checked address", .timeLimit(.minutes(30)))
struct HTTPExchangeTests {
    private static let limits = HTTPExchange.Limits(connectTime: .seconds(60), headerBytes: 4_096, bodyBytes: 10_000)

    private func exchange(
        _ url: String, headers: [(String, String)] = [], body: String? = nil,
        limits: HTTPExchange.Limits = HTTPExchangeTests.limits
    ) throws -> HTTPExchange {
        HTTPExchange(
            url: try WebURL(url), headers: .init(headers), body: body.map { ByteBuffer(string: $0) }, limits: limits,
            wantsBody: { _ in true })
    }

    private func text(
        _ exchange: HTTPExchange, at addresses: [String] = ["127.0.0.1"], within time: Duration = .seconds(60)
    ) async throws -> String {
        let reply = try await exchange.run(
            at: addresses.compactMap { IPAddress($0) }, until: ExchangeDeadline(in: time))
        return "\(reply.status) " + String(decoding: reply.body, as: UTF8.self)
    }

    private func reason(
        _ exchange: HTTPExchange, at addresses: [String] = ["127.0.0.1"], within time: Duration = .seconds(60)
    ) async -> CrawlReason? {
        do {
            _ = try await text(exchange, at: addresses, within: time)
            return nil
        } catch {
            return FetchTrouble.failure(error).reason
        }
    }

    @Test("where nobody listens at one address of a name, the next is asked")
    func nextAddress() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }
        let exchange = try exchange("http://two.example:\(site.port)/")

        #expect(try await text(exchange, at: ["127.0.0.2", "127.0.0.1"]) == "200 hello")
        #expect(await reason(exchange, at: ["127.0.0.2", "127.0.0.3"]) == .unreachable)
    }

    @Test("silence at one address of a name costs half of the time, and the next is asked; at the last it is the end")
    func silence() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }
        let silent = try SilentPort(at: "127.0.0.2", site.port), url = "http://two.example:\(site.port)/"
        defer { silent.close() }
        let brief = HTTPExchange.Limits(connectTime: .milliseconds(300), headerBytes: 4_096, bodyBytes: 10_000)

        #expect(
            try await text(try exchange(url), at: ["127.0.0.2", "127.0.0.1"], within: .seconds(6)) == "200 hello")
        #expect(await reason(try exchange(url, limits: brief), at: ["127.0.0.2", "127.0.0.2"]) == .timeout)
    }

    @Test(
        "who hangs up on a request is not asked a second time, at no address",
        arguments: [Site.Reply.raw(""), .reset], [nil, "hello"])
    func onlyOnce(reply: Site.Reply, body: String?) async throws {
        let site = try Site(["/": reply])
        defer { site.stop() }
        let exchange = try exchange("http://two.example:\(site.port)/", body: body)

        #expect(await reason(exchange, at: ["127.0.0.1", "127.0.0.1"]) == .unreachable)
        #expect(site.requests.map(\.body) == [body ?? ""])
    }

    @Test("a connection serves one request, and says so; what follows the answer is nobody's answer")
    func one() async throws {
        let two = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none" + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo"
        let site = try Site(["/": .raw(two)])
        defer { site.stop() }
        let exchange = try exchange(site.origin + "/")

        #expect(try await text(exchange) == "200 one")
        #expect(try await text(exchange) == "200 one")
        #expect(site.requests.map { $0.headers["connection"] } == ["close", "close"])
    }

    @Test("interim answers are passed over, and an endless row of them ends")
    func interim() async throws {
        let hint = "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=EditURI\r\n\r\n"
        let site = try Site([
            "/few": .raw(hint + hint + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            "/many": .raw(String(repeating: hint, count: 1_000)),
        ])
        defer { site.stop() }

        #expect(try await text(try exchange(site.origin + "/few")) == "200 hello")
        #expect(await reason(try exchange(site.origin + "/many")) == .tooLarge)
    }

    @Test(
        "an answer whose length can be read in two ways is none, nor is one that is cut off",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "HTTP/1.1 200 OK\r\nX: y",
            "nonsense",
        ])
    func ambiguous(answer: String) async throws {
        let site = try Site(["/": .raw(answer)])
        defer { site.stop() }

        #expect(await reason(try exchange(site.origin + "/")) == .unreachable)
    }

    @Test("headers above the limit are refused before they end: one that is long, and many short ones")
    func heads() async throws {
        let long = "X: " + String(repeating: "h", count: 6_000)
        let short = (0..<200).map { "X-\($0): \(String(repeating: "h", count: 30))\r\n" }.joined()
        let site = try Site([
            "/long": .raw("HTTP/1.1 200 OK\r\n" + long), "/short": .raw("HTTP/1.1 200 OK\r\n" + short),
        ])
        defer { site.stop() }

        for path in ["/long", "/short"] {
            #expect(await reason(try exchange(site.origin + path)) == .tooLarge, "\(path)")
        }
    }

    @Test("one deadline is for all addresses and for a head that trickles")
    func deadline() async throws {
        let site = try Site()
        defer { site.stop() }
        site.set("/", Site.Reply(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), pause: 0.1))

        #expect(
            await reason(
                try exchange("http://two.example:\(site.port)/"), at: ["127.0.0.2", "127.0.0.1"],
                within: .milliseconds(300)) == .timeout)
    }

    @Test("whoever is cancelled waits no longer, nor on the threads of crawls")
    func cancelled() async throws {
        let site = try Site()
        defer { site.stop() }
        site.set("/", Site.Reply(bytes: Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8), pause: 5))
        let exchange = try exchange(site.origin + "/")
        let task = Task {
            try await withTaskExecutorPreference(CrawlThreads.next()) { try await text(exchange) }
        }
        while site.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }

        task.cancel()

        // Had it waited on, the answer would end as one that came too slowly.
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "a header that would end its line is not sent",
        arguments: [("X-Note", "a\r\nX-Other: b"), ("X-Note", "a\u{0}"), ("X Note", "a"), ("", "a")])
    func lines(name: String, value: String) async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }

        #expect(await reason(try exchange(site.origin + "/", headers: [(name, value)])) == .unreachable)
        #expect(site.requests.isEmpty)
    }

    @Test("nobody else says whom a request is for, or where it ends")
    func framing() async throws {
        let site = try Site(["/": .ok("hello")])
        defer { site.stop() }
        let own = [
            ("Host", "evil.example"), ("content-length", "5"), ("Transfer-Encoding", "chunked"), ("X-Note", "a"),
        ]

        #expect(try await text(try exchange(site.origin + "/", headers: own)) == "200 hello")

        let sent = try #require(site.requests.first?.headers)
        #expect(sent["host"] == "127.0.0.1:\(site.port)" && sent["x-note"] == "a")
        #expect(sent["content-length"] == nil && sent["transfer-encoding"] == nil)
    }
}
