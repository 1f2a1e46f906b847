import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("How much one address and one client may ask (draft-ietf-httpapi-ratelimit-headers)")
struct AddressLimitTests {
    private static let place = "203.0.113.7"

    private static func options(_ flags: [String: String]) throws -> TestServerOptions {
        var options = try TestServerOptions.forwarded()
        options.flags = flags
        return options
    }

    private func get(
        _ server: TestServer, _ path: String, from address: String, accept: String = "application/json"
    ) async throws -> Reply {
        try await server.get(path, headers: [.forwardedFor: address, .accept: accept])
    }

    @Test("each answer tells what is left; beyond it 429 with Retry-After, and a second later one more")
    func counted() async throws {
        try await TestServer.with(options: try Self.options(["limit-address": "1"])) { server in
            let first = try await get(server, "/healthz", from: Self.place)
            #expect(first[header: "RateLimit-Policy"] == "\"address\";q=20;w=20")
            #expect(first[header: "RateLimit"] == "\"address\";r=19;t=1")
            for _ in 0..<18 { _ = try await get(server, "/healthz", from: Self.place) }
            // What is refused for another reason counts, and tells it too.
            let last = try await get(server, "/no-such-place", from: Self.place)
            #expect(last.status == 404)

            let refused = try await get(server, "/healthz", from: Self.place)

            #expect(refused.outcome == "429 slow_down" && refused[header: "Retry-After"] == "1")
            #expect(refused[header: "RateLimit-Policy"] == "\"address\";q=20;w=20")
            #expect(refused[header: "RateLimit"] == "\"address\";r=0;t=1")
            #expect(try await get(server, "/healthz", from: "203.0.113.8").status == 200)
            server.time.advance(1)
            #expect(try await get(server, "/healthz", from: Self.place).status == 200)
            #expect(try await get(server, "/healthz", from: Self.place).status == 429)
        }
    }

    @Test("of IPv6 the /64 is one, and an IPv4 address is the same when it is mapped")
    func networks() async throws {
        try await TestServer.with(options: try Self.options(["limit-address": "1"])) { server in
            for number in 1...20 {
                _ = try await get(server, "/healthz", from: "2001:db8::\(number)")
                _ = try await get(server, "/healthz", from: number % 2 == 0 ? Self.place : "::ffff:\(Self.place)")
            }

            #expect(try await get(server, "/healthz", from: "2001:db8::ffff:1").status == 429)
            #expect(try await get(server, "/healthz", from: "2001:db8:0:1::1").status == 200)
            #expect(try await get(server, "/healthz", from: Self.place).status == 429)
        }
    }

    @Test("this machine and addresses that are exempt are not counted, and told nothing")
    func exempt() async throws {
        let flags = ["limit-address": "1", "limit-exempt": "127.0.0.0/8,198.51.100.0/24"]
        try await TestServer.with(options: try Self.options(flags)) { server in
            for address in ["127.0.0.1", "198.51.100.77"] {
                for _ in 0..<25 {
                    let reply = try await get(server, "/healthz", from: address)
                    #expect(reply.status == 200 && reply[header: "RateLimit"] == nil)
                }
            }
            #expect(try await get(server, "/healthz", from: Self.place)[header: "RateLimit"] != nil)
        }
    }

    @Test("people get a page, a redirection says nothing of limits, and 0 is no limit")
    func shown() async throws {
        try await TestServer.with(options: try Self.options(["limit-address": "1"])) { server in
            let onward = try await get(server, "/account", from: Self.place, accept: "text/html")
            #expect((300..<400).contains(onward.status) && onward[header: "RateLimit"] == nil)
            for _ in 0..<20 { _ = try await get(server, "/healthz", from: Self.place) }

            let page = try await get(server, "/healthz", from: Self.place, accept: "text/html")

            #expect(page.status == 429 && page[header: "Content-Type"]?.hasPrefix("text/html") == true)
            #expect(page[header: "Retry-After"] == "1" && page[header: "RateLimit"] == "\"address\";r=0;t=1")
        }
        try await TestServer.with(options: try Self.options(["limit-address": "0"])) { server in
            let reply = try await get(server, "/healthz", from: Self.place)
            #expect(reply.status == 200 && reply[header: "RateLimit"] == nil)
        }
    }

    @Test("what showed who sends it and succeeded is not counted; what was refused is")
    func known() async throws {
        try await TestServer.with(options: try Self.options(["limit-address": "1"])) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            func look(_ headers: HTTPFields) async throws -> Int {
                var headers = headers
                headers[.forwardedFor] = Self.place
                return try await server.post("/introspect", ["token": "none"], headers: headers).status
            }

            for _ in 0..<40 { #expect(try await look(app.basic) == 200) }
            for _ in 0..<20 { #expect(try await look([:]) == 401) }

            #expect(try await look(app.basic) == 429)
        }
    }

    @Test(
        "a client that asks for tokens without end is told to wait, wherever it is; looking at tokens is no such thing")
    func clients() async throws {
        try await TestServer.with(options: try Self.options(["limit-client": "1"])) { server in
            let app = try await server.webApp(grants: ["client_credentials"])
            let other = try await server.webApp(grants: ["client_credentials"])
            func ask(_ app: WebApp, _ path: String, from address: String) async throws -> Reply {
                var headers = app.basic
                headers[.forwardedFor] = address
                return try await server.post(
                    path, ["grant_type": "client_credentials", "token": "none"], headers: headers)
            }
            for number in 1...20 {
                #expect(try await ask(app, "/token", from: "203.0.113.\(number)").status == 200)
            }

            let refused = try await ask(app, "/token", from: "203.0.113.99")

            #expect(refused.outcome == "429 slow_down" && refused[header: "Retry-After"] == "1")
            #expect(refused[header: "RateLimit"]?.hasPrefix("\"client\";r=0;t=1") == true)
            #expect(refused[header: "RateLimit-Policy"]?.hasPrefix("\"client\";q=20;w=20") == true)
            #expect(try await ask(app, "/introspect", from: "203.0.113.99").status == 200)
            #expect(try await ask(other, "/token", from: "203.0.113.99").status == 200)
            server.time.advance(1)
            #expect(try await ask(app, "/token", from: "203.0.113.99").status == 200)
        }
    }

    @Test("what pages of other origins send is counted once, before anything is looked up for them")
    func pages() async throws {
        try await TestServer.with(options: try Self.options(["limit-address": "1"])) { server in
            let origin = "https://app.example",
                app = try await server.webApp(method: .none) { $0.webOrigins = [origin] }
            func ask(_ page: String) async throws -> Reply {
                try await server.post(
                    "/token", ["grant_type": "authorization_code", "client_id": app.id],
                    headers: [.forwardedFor: Self.place, .origin: page])
            }

            let own = try await ask(origin)
            for left in (0..<19).reversed() {
                let reply = try await ask("https://evil.example")
                #expect(
                    reply.outcome == "403 access_denied" && reply[header: "RateLimit"] == "\"address\";r=\(left);t=1")
            }
            let beyond = try await ask("https://evil.example"), ownBeyond = try await ask(origin)

            #expect(own.status == 400 && own[header: "RateLimit"] == "\"address\";r=19;t=1")
            for reply in [beyond, ownBeyond] {
                #expect(reply.outcome == "429 slow_down" && reply[header: "RateLimit"] == "\"address\";r=0;t=1")
            }
            #expect(ownBeyond[header: "Access-Control-Allow-Origin"] == origin)
        }
    }

    @Test("nobody keeps a public client's people out in its name")
    func publicClients() async throws {
        try await TestServer.with(options: try Self.options(["limit-client": "1"])) { server in
            let app = try await server.webApp(method: .none)
            for number in 1...40 {
                let reply = try await server.post(
                    "/token",
                    [
                        "grant_type": "authorization_code", "client_id": app.id, "code": "none",
                        "code_verifier": Phone.verifier, "redirect_uri": Browser.callback,
                    ], headers: [.forwardedFor: "203.0.113.\(number)"])
                #expect(reply.outcome == "400 invalid_grant")
            }
        }
    }
}
