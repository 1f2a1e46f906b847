import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Traces

@testable import HTTP

/// What a trace tells of a request (docs/tracing.md).
@Suite("traces of requests")
struct RequestTraceTests {
    private static let theirs = "4bf92f3577b34da6a3ce929d0e0e4736", caller = "00f067aa0ba902b7"

    private func headers(flag: String = "01", count: Int = 1) -> HTTPFields {
        var fields = HTTPFields()
        for _ in 0..<count {
            fields.append(HTTPField(name: .traceparent, value: "00-\(Self.theirs)-\(Self.caller)-\(flag)"))
        }
        fields.append(HTTPField(name: .tracestate, value: "rojo=1"))
        return fields
    }

    /// `isForwarded`: requests come from a proxy that is trusted.
    private func tracing(
        share: Double = 1, isForwarded: Bool = false,
        _ body: @escaping @Sendable (TestServer, RecordedSpans) async throws -> Void
    ) async throws {
        let spans = RecordedSpans(share: share)
        var options = isForwarded ? try TestServerOptions.forwarded() : TestServerOptions()
        options.traces = spans.recorder
        try await TestServer.with(options: options) { try await body($0, spans) }
    }

    @Test("a grant is one trace, from the proxy's span down to each statement, with what it waited for")
    func grant() async throws {
        try await tracing(isForwarded: true) { server, spans in
            let machine = server.residents.machine
            let basic = Data("\(machine.id):\(machine.secret)".utf8).base64EncodedString()
            var asked = headers()
            asked[.authorization] = "Basic \(basic)"
            spans.forget()
            let reply = try await server.post("/token", ["grant_type": "client_credentials"], headers: asked)

            #expect(reply.outcome == "200")
            let root = try #require(spans.named("POST /token").first), below = spans.below(root)
            #expect(root.context.traceID.description == Self.theirs && root.parent?.description == Self.caller)
            #expect(root.context.state.text == "rojo=1" && !root.isError)
            #expect(root["http.request.method"] == "POST" && root["http.route"] == "/token")
            #expect(root["http.response.status_code"] == "200" && root["url.scheme"] == "http")
            #expect(spans.all.count == below.count + 1, "one trace, in which all hang together")
            let authenticate = try #require(below.first { $0.name == "authenticate" })
            #expect(spans.below(authenticate).contains { $0.name == "authenticate a client" })
            let grant = try #require(below.first { $0.name == "grant client_credentials" })
            let commit = try #require(spans.below(grant).first { $0.name.hasPrefix("group commit of ") })
            #expect(commit["pando.group_commit.size"] == "1")
            #expect(
                spans.below(commit).contains {
                    $0["db.system.name"] == "postgresql" && $0["db.query.text"]?.contains("insert into") == true
                })
            #expect(below.allSatisfy { $0.start >= root.start && $0.end <= root.end })
        }
    }

    @Test("who is no proxy is not gone on with: a trace begins, and points at theirs; two headers are none")
    func strangers() async throws {
        try await tracing { server, spans in
            _ = try await server.get("/.well-known/openid-configuration", headers: headers())
            let root = try #require(spans.all.last)

            #expect(root.context.traceID.description != Self.theirs && root.parent == nil)
            #expect(root.links.map(\.context.traceID.description) == [Self.theirs] && root.context.state == .empty)
            #expect(root.name == "GET /.well-known/openid-configuration")
        }
        try await tracing(isForwarded: true) { server, spans in
            _ = try await server.get("/.well-known/openid-configuration", headers: headers(count: 2))
            let root = try #require(spans.all.last)

            #expect(root.context.traceID.description != Self.theirs && root.parent == nil && root.links.isEmpty)
        }
    }

    @Test("the proxy's choice holds, whatever the share is; without one the share decides")
    func sampled() async throws {
        try await tracing(share: 0, isForwarded: true) { server, spans in
            _ = try await server.get("/openapi.yaml")
            _ = try await server.get("/openapi.yaml", headers: headers(flag: "00"))
            #expect(spans.all.isEmpty)
            _ = try await server.get("/openapi.yaml", headers: headers())
            #expect(spans.named("GET /openapi.yaml").count == 1)
        }
        try await tracing(isForwarded: true) { server, spans in
            _ = try await server.get("/openapi.yaml", headers: headers(flag: "00"))
            #expect(spans.all.isEmpty)
        }
    }

    @Test("an invented address, query or method names no span; what probes ask is in no trace")
    func names() async throws {
        try await tracing { server, spans in
            let secret = "s3cret-of-somebody"
            for path in ["/healthz", "/readyz"] { _ = try await server.get(path) }
            #expect(spans.all.isEmpty)
            _ = try await server.send(.get, "/\(secret)?code=\(secret)")
            _ = try await server.send(.init("BREW") ?? .get, "/authorize?state=\(secret)")
            _ = try await server.send(
                .get, "/authorize?state=\(secret)", headers: [.userAgent: secret, .cookie: "a=\(secret)"])

            let roots = spans.all.filter { $0.parent == nil }
            #expect(roots.map(\.name) == ["GET", "HTTP", "GET /authorize"], "\(roots.map(\.name))")
            #expect(roots[0]["http.response.status_code"] == "404" && roots[0]["http.route"] == nil)
            #expect(roots[1]["http.request.method"] == "_OTHER")
            #expect(try roots.allSatisfy { !$0.isError } && !spans.text.contains(secret))
        }
    }

    @Test(
        "a refusal is no error of the server, though of the phase that refused; a database that is away is one of both")
    func errors() async throws {
        try await tracing { server, spans in
            let wrong = Data("\(server.residents.machine.id):wrong-secret".utf8).base64EncodedString()
            let reply = try await server.post(
                "/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(wrong)"])
            #expect(reply.outcome == "401 invalid_client")
            let root = try #require(spans.named("POST /token").last)
            let authenticate = try #require(spans.named("authenticate").last)
            #expect(!root.isError && root["http.response.status_code"] == "401")
            #expect(authenticate.isError && authenticate["error.type"] == "invalid_client")

            spans.forget()
            var options = TestServerOptions()
            options.traces = spans.recorder
            try await server.withoutDatabase(options: options) { away in
                let reply = try await away.post(
                    "/introspect", ["token": "x"], headers: [.authorization: "Basic \(wrong)"])
                #expect(reply.status == 503 && reply.headers[.retryAfter] != nil)
            }
            let failed = try #require(spans.named("POST /introspect").last)
            let client = try #require(spans.named("authenticate a client").last)
            #expect(failed.isError && failed["error.type"] == "503" && client["error.type"] == "unavailable")
            #expect(spans.below(failed).contains { $0.name == "wait for a connection" })
        }
    }

    @Test("what the server asks others is a client's span, by host and without the address")
    func outgoing() async throws {
        try await tracing { server, spans in
            let plain = OutgoingHTTP(
                fetch: { _ in [] }, push: { _, _, _ in .init(status: 503, body: []) },
                form: { _, _ in .init(status: 200) },
                callback: { _ in 200 }, send: { _ in .init(status: 200, body: []) },
                exchange: { _ in throw CancellationError() }, ask: { _, _ in .init(status: 204, body: []) })
            _ = try await plain.traced.fetch("https://outside.example.org/none")
            #expect(spans.all.isEmpty, "in no trace")
            await Phase.root("work") {
                _ = try? await plain.traced.fetch("https://one.example.org:8443/keys/s3cret?key=s3cret")
                _ = try? await plain.traced.push("s3cret", "https://two.example.org/s3cret", "text/plain")
                _ = try? await plain.traced.exchange(.init(method: "POST", url: "http://localhost:1/s3cret"))
                _ = try? await plain.traced.ask(.init(method: "GET", url: "https://id.example.org/s3cret"), 5)
            }

            let made = spans.all.dropLast()
            #expect(made.map(\.name) == ["GET", "POST", "POST", "GET"])
            #expect(
                made.map { $0["server.address"] } == [
                    "one.example.org", "two.example.org", "localhost", "id.example.org",
                ])
            #expect(made.map { $0["server.port"] } == ["8443", "443", "1", "443"])
            #expect(made.map { $0["http.response.status_code"] } == ["200", "503", nil, "204"])
            #expect(made.map(\.isError) == [false, true, true, false])
            #expect(try !spans.text.contains("s3cret"))
        }
    }

    @Test("an event is delivered in a trace of its own, with the call and what is written of it")
    func delivery() async throws {
        try await tracing { server, spans in
            let phone = try await Phone.registered(in: server)
            _ = try await phone.joinService()
            spans.forget()
            try await server.parts.revocation.revoke(.virtual(.init(.instance, phone.clientID)), by: .server)
            try await server.sendEvents()

            let root = try #require(spans.named("deliver events").first), below = spans.below(root)
            #expect(root.parent == nil && root.links.isEmpty)
            #expect(below.contains { $0.name == "POST" && $0["server.address"] == "localhost" })
            #expect(below.contains { $0["db.collection.name"] == "delivery" })
        }
    }
}
