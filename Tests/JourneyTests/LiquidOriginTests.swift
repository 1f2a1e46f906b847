import Base
import Database
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import HTTP
@testable import Liquid

@Suite("liquid: which pages may ask")
struct LiquidOriginTests {
    private static let friend = "https://wallet.example", stranger = "https://evil.example"
    private static let asked: JSONValue = ["extensions": ["liquid": true]]

    private func with(_ body: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.with(options: TestServerOptions(pages: [Self.friend], isTested: false), body)
    }

    @Test(
        """
        a page of another origin may read what it asks with the cookie when it is listed; one that is not is refused \
        before anything happens
        """
    )
    func pages() async throws {
        try await with { server in
            for origin in [Self.friend, ServerParts.root] {
                let reply = try await server.post("/attestation/request", json: Self.asked, headers: [.origin: origin])
                #expect(
                    reply.status == 201 && reply[header: "Access-Control-Allow-Origin"] == origin
                        && reply[header: "Access-Control-Allow-Credentials"] == "true")
                #expect(reply[header: "Vary"]?.contains("Origin") == true)
            }
            for origin in [Self.stranger, "null", "https://wallet.example.evil.example"] {
                let reply = try await server.post("/attestation/request", json: Self.asked, headers: [.origin: origin])
                #expect(
                    reply.status == 403 && reply.error == "Forbidden" && reply.headers[.setCookie] == nil, "\(origin)")
                #expect(reply[header: "Access-Control-Allow-Origin"] == nil, "\(origin)")
            }
            let none = try await server.post("/attestation/request", json: Self.asked)
            #expect(none.status == 201 && none[header: "Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(
        "browsers learn beforehand which pages may ask, at every path that a page asks",
        arguments: [
            "/attestation/request", "/attestation/response", "/assertion/request/abc", "/assertion/response",
            "/auth/keys/abc", "/socket.io/",
        ])
    func preflights(_ path: String) async throws {
        try await with { server in
            let friend = try await server.send(.options, path, headers: [.origin: Self.friend])
            let stranger = try await server.send(.options, path, headers: [.origin: Self.stranger])
            #expect(friend.status == 204 && friend[header: "Access-Control-Allow-Origin"] == Self.friend)
            #expect(
                friend[header: "Access-Control-Allow-Headers"] == "Authorization, Content-Type, DPoP, X-Pairing-Role")
            #expect(stranger.status == 403 && stranger[header: "Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("a socket is no way round it")
    func sockets() async throws {
        try await with { server in
            let friend = try await server.get("/socket.io/?EIO=4&transport=polling", headers: [.origin: Self.friend])
            let stranger = try await server.get(
                "/socket.io/?EIO=4&transport=polling", headers: [.origin: Self.stranger])
            #expect(friend.status == 200 && friend[header: "Access-Control-Allow-Origin"] == Self.friend)
            #expect(stranger.status == 403 && stranger.json["code"] == 4 && stranger.headers[.setCookie] == nil)
        }
    }

    @Test("the cookie crosses sites where wallets of other sites are configured and TLS is, and nowhere else")
    func sameSite() async throws {
        try await with { server in
            func cookie(_ root: String, isCrossSite: Bool) throws -> String {
                let fixture = LiquidRequestContext(
                    LiquidEndpoints(server.parts.liquid, links: ServerParts.links, isCrossSite: isCrossSite), root: root
                )
                let request = Request(
                    head: .init(method: .get, scheme: nil, authority: nil, path: "/auth/user"),
                    body: RequestBody(buffer: ByteBuffer()))
                return try #require(
                    fixture.withPolicy(Response(status: .ok), for: request, cookie: "x").headers[.setCookie])
            }
            let crossing = try cookie("https://idp.example", isCrossSite: true),
                staying = try cookie("https://idp.example", isCrossSite: false)
            let plain = try cookie("http://localhost:8080", isCrossSite: true)
            #expect(
                crossing.contains("SameSite=None; Secure") && staying.contains("SameSite=Lax; Secure")
                    && plain.contains("SameSite=Lax") && !plain.contains("Secure"))
        }
    }

    @Test(
        """
        of two cookies of the name that this server wrote neither counts; those that a sibling's application wrote \
        are not looked at
        """
    )
    func twoCookies() async throws {
        try await with { server in
            var wallet = WalletDevice(), other = WalletDevice()
            _ = try await wallet.register(in: server)
            _ = try await other.register(in: server)
            let cookie = "connect.sid=\(wallet.cookie ?? "")", second = "connect.sid=\(other.cookie ?? "")"
            let sibling = "connect.sid=s%3A\(String(repeating: "A", count: 65)).\(String(repeating: "B", count: 43))"
            func status(_ line: String) async throws -> Int {
                try await server.get("/auth/user", headers: [.cookie: line]).status
            }
            for line in [
                cookie, "\(sibling); \(cookie)", "connect.sid=x; \(cookie); \(sibling)", "\(cookie); \(cookie)",
            ] {
                let status = try await status(line)
                #expect(status == 200, "\(line)")
            }
            // U+037E is a semicolon to Swift alone.
            for line in [
                sibling, "\(cookie); \(second)", "\(second); \(sibling); \(cookie)", "x=1\u{37E}\(cookie)",
            ] {
                let status = try await status(line)
                #expect(status == 403, "\(line)")
            }
        }
    }

    @Test("a kit of iOS names this server with its socket's scheme, and gets its WebSocket; nobody else does by that")
    func socketSchemes() async throws {
        try await with { server in
            try await server.listening(nil) { port in
                for (origin, page) in [
                    ("ws://localhost:8080", ServerParts.root), ("wss://wallet.example", Self.friend),
                    ("wss://wallet.example:443", Self.friend),
                    (Self.friend, Self.friend),
                ] {
                    let request = UUID().uuidString.lowercased()
                    try await RawConnection.open(port) { connection in
                        try await connection.ask(
                            RawConnection.upgrade("/socket.io/?EIO=4&transport=websocket", ["Origin: \(origin)"]))
                        let head = try await connection.answer().head, hello = try await connection.text()
                        #expect(head.hasPrefix("HTTP/1.1 101") && hello.hasPrefix("0{"), "\(origin)")
                        try await connection.say("40")
                        _ = try await connection.text()
                        try await connection.say(#"420["link",{"requestId":"\#(request)"}]"#)
                        var told: String?
                        for _ in 0..<1_500 where told == nil {
                            told = try await server.database.query(
                                "select origin from signalling_link where request = \("s:" + request)"
                            ).first.map { try $0("origin") }
                            try await Task.sleep(for: .milliseconds(20))
                        }
                        #expect(told == page, "\(origin)")
                    }
                    let polled = try await server.get("/socket.io/?EIO=4&transport=polling", headers: [.origin: origin])
                    #expect(
                        polled.status == 200 && polled[header: "Access-Control-Allow-Origin"] == origin, "\(origin)")
                }
                for origin in [
                    "wss://evil.example", "ws://wallet.example", "wss://localhost:8080",
                    "wss://wallet.example.evil.example", "wss:wallet.example",
                    "s://wallet.example",
                ] {
                    let head = try await RawConnection.open(port) { connection in
                        try await connection.ask(
                            RawConnection.upgrade("/socket.io/?EIO=4&transport=websocket", ["Origin: \(origin)"]))
                        return try await connection.answer().head
                    }
                    #expect(head.hasPrefix("HTTP/1.1 403"), "\(origin)")
                }
            }
        }
    }

    @Test(
        """
        what a page of another site loads without a word opens no socket and logs nobody out; who follows its link \
        does, and so does a page that may ask
        """
    )
    func pictures() async throws {
        try await with { server in
            var wallet = WalletDevice()
            _ = try await wallet.register(in: server)
            let cookie = "connect.sid=\(wallet.cookie ?? "")", polling = "/socket.io/?EIO=4&transport=polling"
            func ask(
                _ path: String, _ mode: String, _ place: String, site: String = "cross-site", origin: String? = nil
            ) async throws -> Reply {
                var headers: HTTPFields = [.cookie: cookie, .site: site, .mode: mode, .place: place]
                headers[.origin] = origin
                return try await server.get(path, headers: headers)
            }
            let picture = try await ask(polling, "no-cors", "image"),
                page = try await ask(polling, "cors", "empty", origin: Self.friend)
            let own = try await ask(polling, "cors", "empty", site: "same-origin")
            #expect(
                picture.status == 403 && picture.json["code"] == 4 && picture.headers[.setCookie] == nil
                    && page.status == 200 && own.status == 200)

            for (mode, place) in [("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe")] {
                let reply = try await ask("/auth/logout", mode, place)
                #expect(reply.status == 403 && reply.error == "Forbidden", "\(place)")
            }
            let still = try await server.get("/auth/user", headers: [.cookie: cookie]),
                visit = try await ask("/auth/logout", "navigate", "document")
            let over = try await server.get("/auth/user", headers: [.cookie: cookie]),
                fetched = try await ask("/auth/logout", "cors", "empty", origin: Self.friend)
            #expect(still.status == 200 && visit.status == 302 && over.status == 403 && fetched.status == 302)
        }
    }

    @Test("the document of related origins has this host and the listed pages, no apps, and comes without a redirect")
    func related() async throws {
        try await with { server in
            let reply = try await server.get("/.well-known/webauthn"), origins = reply.json["origins"]?.array ?? []
            #expect(reply.status == 200 && reply[header: "Content-Type"] == "application/json")
            #expect(origins == [.string(ServerParts.root), "https://localhost", .string(Self.friend)])
        }
    }
}

extension HTTPField.Name {
    fileprivate static let site = HTTPField.Name("Sec-Fetch-Site") ?? .server
    fileprivate static let mode = HTTPField.Name("Sec-Fetch-Mode") ?? .server
    fileprivate static let place = HTTPField.Name("Sec-Fetch-Dest") ?? .server
}
