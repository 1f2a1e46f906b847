import Foundation
import TestSupport
import Testing

/// Bytes that no client library would send, at a listener as `pando serve` has it.
@Suite("Attacks on the transport (group 58)", .server)
struct TransportSocketTests {
    private func request(_ lines: [String], body: String = "") -> [UInt8] {
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private func form(_ lines: [String], body: String = "") -> [UInt8] {
        request(
            ["POST /token HTTP/1.1", "Host: localhost", "Content-Type: application/x-www-form-urlencoded"] + lines,
            body: body)
    }

    /// Status lines in what came.
    private func statuses(_ answer: String) -> [String] {
        answer.matches(of: #/HTTP\/1\.[01] ([0-9]{3})/#).map { String($0.1) }
    }

    @Test(
        "group 58: a body of ten gigabytes, or one without end, is refused as soon as it is too large",
        arguments: [
            "by length", "in chunks", "in one chunk of ten gigabytes", "of a length that no number holds",
            "of a negative length",
        ])
    func endless(_ what: String) async throws {
        let more = String(repeating: "a", count: 200_000),
            chunks = String(repeating: "1000\r\n" + String(repeating: "a", count: 4_096) + "\r\n", count: 60)
        let bytes =
            switch what {
            case "by length": form(["Content-Length: 10737418240", "Connection: close"], body: more)
            case "in chunks": form(["Transfer-Encoding: chunked", "Connection: close"], body: chunks)
            case "in one chunk of ten gigabytes":
                form(["Transfer-Encoding: chunked", "Connection: close"], body: "280000000\r\n" + more)
            case "of a length that no number holds":
                form(["Content-Length: 99999999999999999999999999", "Connection: close"], body: more)
            default: form(["Content-Length: -1", "Connection: close"], body: more)
            }
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let answer = try await socket.send(bytes), told = statuses(answer)
            #expect(
                told.count <= 1 && (told.first.map { ["413", "400"].contains($0) } ?? answer.isEmpty),
                "\(answer.prefix(300))")
            #expect(
                try await socket.send(request(["GET /healthz HTTP/1.1", "Host: localhost", "Connection: close"]))
                    .hasPrefix("HTTP/1.1 200"), "the next is served")
        }
    }

    @Test(
        "a client that says that this is its last request gets an answer which closes, however it spells that",
        arguments: [
            ["GET /healthz HTTP/1.1", "Connection: close"], ["GET /healthz HTTP/1.1", "Connection: Close"],
            ["GET /healthz HTTP/1.1", "Connection: TE, CLOSE"], ["GET /healthz HTTP/1.0"],
        ])
    func last(_ lines: [String]) async throws {
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let next = request(["GET /healthz HTTP/1.1", "Host: localhost", "Connection: close"])
            let answer = try await socket.send(request(lines + ["Host: localhost"]) + next)

            #expect(statuses(answer) == ["200"], "nothing behind it is a request")
            #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer.prefix(300))")
        }
    }

    @Test(
        "group 58: a body that trickles or stops is given up with 408, and its connection closes",
        arguments: [0.25, 60])
    func slowloris(_ pace: Double) async throws {
        try await TransportDrip.with(try TestServer.ofSuite, bodyLimit: .seconds(1)) { socket in
            let began = ContinuousClock.now
            let answer = try await socket.send(
                form(["Content-Length: 60000"]), dripping: UInt8(ascii: "a"), every: pace)
            #expect(answer.hasPrefix("HTTP/1.1 408"), "\(answer.prefix(300))")
            #expect(answer.lowercased().contains("connection: close"), "\(answer.prefix(300))")
            // Less than the 75 seconds after which silence would end it.
            #expect(ContinuousClock.now - began < .seconds(40), "it closed")
        }
    }

    @Test("group 58: behind a body that is too large nothing is read, and its connection closes")
    func behindTooLarge() async throws {
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let began = ContinuousClock.now, piece = "fffff\r\n" + String(repeating: "a", count: 100_000)
            let answer = try await socket.send(form(["Transfer-Encoding: chunked"], body: piece))
            #expect(
                statuses(answer) == ["413"] && answer.lowercased().contains("connection: close"),
                "\(answer.prefix(300))")
            #expect(ContinuousClock.now - began < .seconds(15), "it closed")
        }
    }

    @Test(
        "group 58: a head that is too large is 431",
        arguments: ["one header", "all headers", "their number", "the target"])
    func tooLarge(_ what: String) async throws {
        let start = ["GET /healthz HTTP/1.1", "Host: localhost"], text = String(repeating: "a", count: 17_000)
        let bytes =
            switch what {
            case "one header": request(start + ["X-Long: \(text)"])
            case "all headers": request(start + (0..<5).map { "X-\($0): \(text.prefix(8_000))" })
            case "their number": request(start + (0..<100).map { "X-\($0): y" })
            default: request(["GET /healthz?\(text) HTTP/1.1", "Host: localhost"])
            }
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let answer = try await socket.send(request(start) + bytes)
            #expect(
                statuses(answer) == ["200", "431"] && answer.lowercased().contains("connection: close"),
                "\(answer.prefix(600))")
        }
    }

    @Test("group 58: a head that trickles is given up, whatever its pace")
    func slowHead() async throws {
        try await TransportDrip.with(try TestServer.ofSuite, headLimit: .seconds(1)) { socket in
            let head = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ".utf8)
            // Less than the 75 seconds after which silence would end it.
            let isEnded = try await socket.isEnded(head, then: UInt8(ascii: "a"), every: 0.25, atMost: 160)
            #expect(isEnded)
        }
    }

    @Test(
        "group 58: headers without end, too many or too long, are refused",
        arguments: [
            "100,000 headers", "a header of 1 MB", "a name of 1 MB", "a target of 1 MB", "a method of 1 MB",
            "cookies of 1 MB",
        ])
    func headers(_ what: String) async throws {
        let long = String(repeating: "a", count: 1_000_000), start = "GET /healthz HTTP/1.1"
        let bytes =
            switch what {
            case "100,000 headers": request([start, "Host: localhost"] + (0..<100_000).map { "X-\($0): y" })
            case "a header of 1 MB": request([start, "Host: localhost", "X-Long: \(long)"])
            case "a name of 1 MB": request([start, "Host: localhost", "\(long): x"])
            case "a target of 1 MB": request(["GET /healthz?\(long) HTTP/1.1", "Host: localhost"])
            case "a method of 1 MB": request(["\(long) /healthz HTTP/1.1", "Host: localhost"])
            default: request([start, "Host: localhost", "Cookie: \(String(repeating: "a=b; ", count: 200_000))"])
            }
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let answer = try await socket.send(bytes)
            #expect(
                answer.isEmpty || ["400", "413", "414", "431"].contains(statuses(answer).first ?? ""),
                "\(answer.prefix(300))")
            #expect(!answer.contains("\"ok\""))
        }
    }

    /// Nothing is ever unpacked, so what says that it is packed is refused (RFC 9110, 8.4).
    @Test(
        "group 58: a packed body is refused, and not unpacked",
        arguments: ["gzip", "deflate", "br", "zstd", "gzip, gzip", "identity, gzip", "GZIP", "x"])
    func packed(_ coding: String) async throws {
        // Ten kilobytes of zeros by gzip.
        let gzip =
            Data(
                base64Encoded:
                    """
                    H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
                    AAAAAAAAAAAAAAAAAAAAAAAAAABgKQAA
                    """
            ) ?? Data()
        let server = try TestServer.ofSuite
        for type in ["application/x-www-form-urlencoded", "application/json"] {
            let reply = try await server.send(
                .post, "/token", headers: [.contentType: type, .contentEncoding: coding], body: [UInt8](gzip))
            #expect(reply.status == 415 && reply.error == "unsupported_media_type", "\(reply.status) \(reply.body)")
            #expect(reply.headers[.wwwAuthenticate] == nil)
        }
    }

    @Test(
        "group 58: a body that says that it is as it is, is read",
        arguments: ["identity", "Identity, identity", "", "identity, ", " , identity"])
    func unpacked(_ coding: String) async throws {
        let server = try TestServer.ofSuite
        let reply = try await server.send(
            .post, "/token", headers: [.contentType: "application/x-www-form-urlencoded", .contentEncoding: coding],
            body: Array("grant_type=nothing".utf8))

        #expect(reply.status == 400 && reply.error == "unsupported_grant_type", "\(reply.status) \(reply.body)")
    }

    @Test(
        "group 58: where a request could be cut in two ways, it is not served, and nothing behind it",
        arguments: [
            ["Content-Length: 6", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 6"],
            ["Content-Length: 6", "Content-Length: 5"], ["Content-Length: 6, 5"], ["Content-Length: +6"],
            ["Content-Length: 0x6"], ["Content-Length: 6 6"],
            ["Content-Length: "], ["Transfer-Encoding: identity, chunked, identity"], ["Transfer-Encoding: x"],
            ["Transfer-Encoding : chunked"], ["Transfer-Encoding: chunked, chunked"],
            ["Transfer-Encoding:\u{B}chunked"], ["X: y", " Transfer-Encoding: chunked"],
            ["Content-Length: 6", "Transfer-Encoding: xchunked"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
        ])
    func smuggling(_ lines: [String]) async throws {
        // To a reader by chunks it ends with the zero; to one by length behind `0\r\n\r\nX`: what follows is hidden
        // from one of them.
        let hidden = "0\r\n\r\nGET /jwks.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let answer = try await socket.send(form(lines, body: hidden)), told = statuses(answer)
            #expect(!answer.contains("\"keys\""), "the hidden request was answered: \(answer.prefix(600))")
            #expect(told.count <= 1 && !told.contains("200"), "\(answer.prefix(600))")
        }
    }

    @Test(
        "group 58: lines that are no HTTP are refused",
        arguments: [
            """
            GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\nGET /jwks.json HTTP/1.1\nHost: \
            localhost\nConnection: close\n\n
            """,
            "GET /healthz\r\n\r\n", "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHo st: localhost\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: local\0host\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nX: a\rb\r\n\r\n", "G\u{1}ET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}",
            "GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
            "TRACE /healthz HTTP/1.1\r\nHost: localhost\r\nX-Secret: canary\r\nConnection: close\r\n\r\n",
        ])
    func malformed(_ text: String) async throws {
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let answer = try await socket.send(
                Array(text.utf8)
                    + (text.contains("close") ? [] : Array("\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n".utf8)))
            // An absolute target names another host; the path alone counts, and the issuer is configured
            // (TrustedProxyTests). A bare LF ends a line for some readers (RFC 9112, 2.2 allows it); then both requests
            // are plain ones, and nothing is hidden.
            let isPlain = text.hasPrefix("GET /healthz HTTP/1.1\nHost") || text.hasPrefix("GET http:")
            #expect(isPlain || !answer.contains("\"ok\""), "\(answer.prefix(300))")
            #expect(!answer.contains("canary") && !answer.contains("evil.example"))
        }
    }

    @Test("group 58: requests on one connection are answered each, in order, and one that is refused ends no other")
    func pipelining() async throws {
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let one = request(["GET /healthz HTTP/1.1", "Host: localhost"]),
                none = request(["GET /nothing HTTP/1.1", "Host: localhost"])
            let posted = form(["Content-Length: 11"], body: "grant_type="),
                last = request(["GET /healthz HTTP/1.1", "Host: localhost", "Connection: close"])
            let answer = try await socket.send(one + none + posted + last)
            #expect(statuses(answer) == ["200", "404", "400", "200"], "\(answer)")
        }
    }

    /// HTTP/2 does not apply: the listener speaks HTTP/1.1 alone, also over TLS (no `h2` by ALPN), so there are no
    /// streams to reset and no CONTINUATION.
    @Test("group 58: the preface of HTTP/2 begins nothing, and no upgrade is followed")
    func http2() async throws {
        try await TransportDrip.with(try TestServer.ofSuite) { socket in
            let preface = try await socket.send(
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0])
            #expect(
                preface.isEmpty || preface.hasPrefix("HTTP/1.1 400") || preface.hasPrefix("HTTP/1.1 505"),
                "\(preface.prefix(300))")
            for upgrade in ["h2c", "websocket"] {
                let answer = try await socket.send(
                    request([
                        "GET /healthz HTTP/1.1", "Host: localhost", "Upgrade: \(upgrade)",
                        "HTTP2-Settings: AAMAAABkAAQAAP__", "Connection: Upgrade, HTTP2-Settings, close",
                    ]))
                #expect(!answer.hasPrefix("HTTP/1.1 101"), "\(answer.prefix(300))")
            }
        }
    }

    @Test(
        "group 58: ten thousand parameters, or one that never ends, are read and refused",
        arguments: ["parameters", "members", "one name", "blanks", "ampersands"])
    func parameters(_ what: String) async throws {
        let server = try TestServer.ofSuite,
            text =
                switch what {
                case "parameters": (0..<10_000).map { String($0, radix: 36) + "=" }.joined(separator: "&")
                case "members": "{" + (0..<7_000).map { "\"\(String($0, radix: 36))\":1" }.joined(separator: ",") + "}"
                case "one name": String(repeating: "a", count: 65_000)
                case "blanks": String(repeating: "+", count: 65_000)
                default: String(repeating: "&", count: 65_000)
                }
        try #require(text.utf8.count <= 65_536)
        for path in ["/token", "/introspect", "/par", "/device_authorization"] {
            let reply = try await server.send(
                .post, path,
                headers: [.contentType: what == "members" ? "application/json" : "application/x-www-form-urlencoded"],
                body: Array(text.utf8))
            #expect(reply.status == 400 || reply.status == 401, "\(path): \(reply.status) \(reply.body)")
        }
    }
}
