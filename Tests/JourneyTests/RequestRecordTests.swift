import Base
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Registration
import Synchronization
import TestSupport
import Testing

@testable import HTTP
@testable import Server

/// What is kept of requests: in the log, the access log, the metrics and the answer.
@Suite("records of requests", .server)
struct RequestRecordTests {
    private static let secret = "s3cret-of-somebody"

    private struct Recorded: Sendable {
        let client: any TestClientProtocol
        let log: CapturedLog
        let lines: WrittenLines
        let registry: PrometheusRegistry

        func ask(
            _ method: HTTPRequest.Method, _ uri: String, _ headers: [(String, String)] = [], body: String? = nil
        ) async throws -> TestResponse {
            var fields = HTTPFields()
            for (name, value) in headers { fields.append(HTTPField(name: .named(name), value: value)) }
            if body != nil { fields[.contentType] = "application/x-www-form-urlencoded" }
            return try await client.execute(
                uri: uri, method: method, headers: fields, body: body.map { .init(string: $0) }
            ) { $0 }
        }
    }

    /// The server's endpoints, asked from `peer`; 127.0.0.1 is a proxy that it trusts.
    private func recording(
        from peer: String = "127.0.0.1", as format: AccessLog.Format = .json,
        _ body: @Sendable (Recorded) async throws -> Void
    ) async throws {
        let server = try TestServer.ofSuite, log = CapturedLog(), lines = WrittenLines(),
            clock = server.time.clock
        let registry = PrometheusRegistry()
        let table = RouteTable(
            root: ServerParts.root, services: server.parts.composition.services, database: server.database,
            proxies: try ProxyTrust(ranges: CIDR.list("127.0.0.1") ?? []), nonces: server.parts.nonces,
            accessLog: AccessLog(format, of: .init(node: "node-1", process: 4_711), clock: clock) { lines.write($0) },
            metrics: registry)
        let inner = table.router().buildResponder()
        let placed = CallbackResponder<RoutedContext> { request, context in
            var context = context
            context.peer = peer
            return try await inner.respond(to: request, context: context)
        }
        try await Application(responder: placed, logger: log.logger).test(.router) { client in
            try await body(Recorded(client: client, log: log, lines: lines, registry: registry))
        }
    }

    @Test("a refusal is logged with the address that a trusted proxy tells, and with the id of its answer")
    func refused() async throws {
        try await recording { recorded in
            let answer = try await recorded.ask(
                .post, "/token", [("X-Forwarded-For", "203.0.113.7"), ("X-Request-Id", "edge-7.a:b")],
                body: "grant_type=none&client_secret=\(Self.secret)")

            #expect(answer.status == .badRequest && answer.headers[.requestID] == "edge-7.a:b")
            let line = try #require(recorded.log.all.first { $0.contains("refused") })
            #expect(line.contains("203.0.113.7") && line.contains("edge-7.a:b"), "\(line)")
            #expect(line.contains("unsupported_grant_type") && !line.contains(Self.secret))
        }
    }

    @Test("from anybody else neither address nor id is taken")
    func untrusted() async throws {
        try await recording(from: "198.51.100.9") { recorded in
            let answer = try await recorded.ask(
                .post, "/token", [("X-Forwarded-For", "203.0.113.7"), ("X-Request-Id", "edge-7")],
                body: "grant_type=none")

            let id = try #require(answer.headers[.requestID])
            #expect(id != "edge-7" && !id.isEmpty)
            let line = try #require(recorded.log.all.first { $0.contains("refused") })
            #expect(line.contains("198.51.100.9") && line.contains(id), "\(line)")
            #expect(!line.contains("203.0.113.7") && !line.contains("edge-7"))
        }
    }

    @Test(
        "an id that is none is not taken from a proxy, either",
        arguments: [
            "", " ", "a b", "a\"b", "a,b", "a;b", "<a>", "ä", String(repeating: "a", count: 129), "a\\b", "{a}", "a\tb",
        ])
    func malformed(_ id: String) async throws {
        try await recording { recorded in
            let answer = try await recorded.ask(.get, "/healthz", [("X-Request-Id", id)])

            let made = try #require(answer.headers[.requestID])
            #expect(answer.status == .ok && made != id && made.count >= 16)
        }
    }

    @Test("of two ids, one is somebody's who hopes to be found under another's; Request-Id stands in for X-Request-Id")
    func spellings() async throws {
        try await recording { recorded in
            let two = try await recorded.ask(.get, "/healthz", [("X-Request-Id", "one"), ("X-Request-Id", "two")])
            let plain = try await recorded.ask(.get, "/healthz", [("Request-Id", "three")])
            let longest = String(repeating: "a", count: 128)
            let long = try await recorded.ask(.get, "/healthz", [("X-Request-Id", longest)])

            #expect(!["one", "two"].contains(two.headers[.requestID] ?? "one"))
            #expect(plain.headers[.requestID] == "three" && long.headers[.requestID] == longest)
        }
    }

    @Test("a line of the access log tells the pattern of the route, and nothing of what somebody wrote there")
    func accessLog() async throws {
        try await recording { recorded in
            _ = try await recorded.ask(
                .get, "/authorize?client_id=x&state=\(Self.secret)", [("X-Forwarded-For", "203.0.113.7")])
            _ = try await recorded.ask(.get, "/\(Self.secret)/none?code=\(Self.secret)", [("Accept", "text/html")])
            _ = try await recorded.ask(
                .get, "/services/learn/\(Self.secret)", [("Authorization", "Bearer \(Self.secret)")])
            _ = try await recorded.ask(.post, "/revoke", body: "token=\(Self.secret)")
            let lines = recorded.lines.all

            #expect(lines.count == 4 && !lines.joined().contains(Self.secret), "\(lines)")
            let first = try JSONReader.read(Array(lines[0].utf8)), second = try JSONReader.read(Array(lines[1].utf8))
            #expect(first["endpoint"] == "/authorize" && first["peer"] == "203.0.113.7" && first["method"] == "GET")
            #expect((first["status"]?.integer ?? 0) >= 400 && first["took_us"]?.integer != nil)
            #expect(first["request_id"]?.string?.isEmpty == false && first["bytes"]?.integer != nil)
            #expect(first["node"] == "node-1" && first["process"] == 4_711)
            #expect(second["endpoint"] == .null && second["status"]?.integer == 404)
        }
    }

    @Test("the common format is NCSA's, with the pattern in place of the path")
    func common() async throws {
        try await recording(from: "2001:db8::7", as: .common) { recorded in
            _ = try await recorded.ask(.get, "/healthz?token=\(Self.secret)")
            _ = try await recorded.ask(.init("BREW") ?? .get, "/\(Self.secret)")
            let lines = recorded.lines.all

            let shape = #/2001:db8::7 - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "(.*)" (\d{3}) (\d+|-)/#
            let parts = lines.compactMap { try? shape.wholeMatch(in: $0)?.output }
            #expect(parts.count == 2, "\(lines)")
            #expect(parts.map { String($0.1) } == ["GET /healthz HTTP/1.1", "OTHER - HTTP/1.1"])
            #expect(parts.first?.2 == "200" && parts.last?.2 == "404")
        }
    }

    @Test(
        "requests are measured by route, method and class of status, and invented addresses and methods make no series")
    func measured() async throws {
        try await recording { recorded in
            for number in 0..<200 {
                _ = try await recorded.ask(.get, "/invented/\(number)")
                _ = try await recorded.ask(.init("METHOD\(number)") ?? .get, "/services/invented\(number)/token")
                _ = try await recorded.ask(.post, "/token", body: "grant_type=invented\(number)")
            }
            _ = try await recorded.ask(.get, "/healthz")

            let page = recorded.registry.page, lines = page.split(separator: "\n")
            let requests = lines.filter { $0.hasPrefix("pando_http_requests_total{") }
            #expect(page.contains(#"{route="/healthz",method="GET",status="2xx"} 1.0"# + "\n"))
            #expect(page.contains(#"{route="/token",method="POST",status="4xx"} 200.0"# + "\n"))
            #expect(page.contains(#"{route="none",method="GET",status="4xx"} 200.0"# + "\n"))
            #expect(page.contains(#"{route="none",method="other",status="4xx"} 200.0"# + "\n"))
            #expect(requests.count == 4, "\(requests)")
            #expect(page.contains(#"pando_http_request_duration_seconds_count{route="/token"} 200"# + "\n"))
            #expect(page.contains(#"pando_http_refusals_total{error="unsupported_grant_type"} 200.0"# + "\n"))
            #expect(page.contains("\npando_http_requests_in_flight 0.0\n"))
            #expect(!page.contains("invented") && page.utf8.count < 60_000)
        }
    }

    @Test("who visits every other route first takes no series from those that alerts look at")
    func watched() throws {
        let rules = try String(
            contentsOf: Checkout.folder("deploy").appending(path: "monitoring/rules.yml"), encoding: .utf8)
        let routes = Set(
            rules.matches(of: #/route=~"([^"]+)"/#).flatMap { $0.1.split(separator: "|").map(String.init) })
        let registry = PrometheusRegistry()
        let metrics = HTTPMetrics(registry, routes: try TestServer.ofSuite.parts.routes.endpoints.map(\.path))
        for number in 0..<200 { metrics.answered(.get, "/route/\(number)", status: 404, nanoseconds: 1) }

        for route in routes { metrics.answered(.post, route, status: 200, nanoseconds: 1) }

        let page = registry.page
        #expect(!routes.isEmpty && routes == Set(HTTPMetrics.watched))
        #expect(page.contains(#"pando_http_request_duration_seconds_count{route="_other"}"#))
        for route in routes {
            #expect(page.contains("pando_http_request_duration_seconds_count{route=\"\(route)\"} 1\n"), "\(route)")
        }
    }
}

private final class WrittenLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func write(_ line: String) { lines.withLock { $0.append(line) } }
}
