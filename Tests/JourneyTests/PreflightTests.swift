import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP

@Suite("Fetch, 3.2.2: preflights")
struct PreflightTests {
    private static let ofClients = [
        "POST /token", "POST /introspect", "POST /revoke", "POST /par", "GET /userinfo", "POST /userinfo",
        "GET /user-profile", "POST /protocol-discovery", "POST /protocol-discovery/protocol",
        "POST /protocol-discovery/service",
    ]
    private static let ofServices = ["POST /token", "POST /introspect", "POST /revoke"]

    @Test("these endpoints are for pages of clients, those of metadata for all, and no other for any")
    func table() async throws {
        try await TestServer.with { server in
            var (registered, any) = (Set<String>(), Set<String>())
            for endpoint in server.parts.routes.endpoints {
                switch endpoint.origins {
                case .none: break
                case .any: any.insert("\(endpoint.method.rawValue) \(endpoint.path)")
                case .registered: registered.insert("\(endpoint.method.rawValue) \(endpoint.path)")
                }
            }
            let services = server.parts.composition.services.compactMap { $0.role?.realm.base }
                .map { String($0.dropFirst(ServerParts.root.count)) }
            try #require(services.contains("/services/learn"))
            let expected =
                Self.ofClients
                + services.flatMap { place in
                    Self.ofServices.map { $0.replacing(" ", with: " \(place)") }
                }
            #expect(registered == Set(expected), "\(registered.symmetricDifference(expected).sorted())")
            #expect(
                any.isSuperset(of: [
                    "GET /.well-known/openid-configuration", "GET /.well-known/oauth-authorization-server",
                    "GET /.well-known/openid-federation", "GET /jwks.json", "GET /services/learn/rsd",
                    "GET /services.txt", "GET /openapi.yaml", "GET /federation/services",
                ]))
            #expect(any.allSatisfy { $0.hasPrefix("GET ") })
        }
    }

    @Test("an origin that some client registered may ask, for two hours; another may not, and is told nothing to keep")
    func granted() async throws {
        try await TestServer.with { server in
            _ = try await OriginPage.made(in: server)
            for place in Self.ofClients + ["POST /services/learn/token"] {
                let parts = place.split(separator: " ").map(String.init)

                let friend = try await server.preflight(parts[1], from: OriginPage.origin, method: parts[0])
                let stranger = try await server.preflight(parts[1], from: "https://evil.example", method: parts[0])

                #expect(friend.status == 204 && friend.reader == OriginPage.origin, "\(place)")
                #expect(friend[header: "Access-Control-Allow-Methods"]?.contains(parts[0]) == true, "\(place)")
                #expect(friend[header: "Access-Control-Allow-Headers"] == "Authorization, DPoP, Content-Type")
                #expect(friend[header: "Access-Control-Max-Age"] == "7200" && friend[header: "Vary"] == "Origin")
                #expect(friend[header: "Access-Control-Allow-Credentials"] == nil)
                #expect(stranger.outcome == "403 access_denied" && stranger.reader == nil, "\(place)")
                #expect(stranger[header: "Access-Control-Max-Age"] == nil && stranger[header: "Vary"] == "Origin")
                #expect(stranger[header: "Cache-Control"] == "no-store")
            }
        }
    }

    @Test(
        "what is no origin of a page is refused without a look into the database",
        arguments: ["null", "", "*", "https://*", "capacitor://localhost", "https://app.example.org/"])
    func nonsense(_ origin: String) async throws {
        try await TestServer.with { server in
            try await server.withoutDatabase { away in
                let reply = try await away.preflight("/token", from: origin)

                #expect(reply.outcome == "403 access_denied" && reply.reader == nil)
            }
        }
    }

    @Test("what is told to all is told to any page, errors too; a method that is not for pages is refused")
    func any() async throws {
        try await TestServer.with { server in
            let asked = try await server.preflight("/jwks.json", from: "https://any.example", method: "GET")
            let federation = try await server.get(
                "/federation/services/nobody", headers: [.origin: "https://any.example"])
            let list = try await server.get("/services.txt")
            let post = try await server.preflight("/jwks.json", from: "https://any.example", method: "POST")
            let plain = try await server.send(.options, "/token")
            let closed = try await server.preflight("/authorize/challenge", from: "https://any.example")

            #expect(asked.status == 204 && asked.reader == "*")
            #expect(federation.status == 404 && federation.reader == "*" && list.reader == "*")
            #expect(post.outcome == "403 access_denied" && post.reader == nil)
            #expect(plain.status == 204 && plain[header: "Allow"] == "OPTIONS, POST" && plain.reader == nil)
            // OPTIONS says what it takes, and lets no page ask.
            #expect(closed.outcome == "204" && closed.reader == nil)
        }
    }

    @Test(
        "an origin that a client registers is known within ten seconds, and one that is given up is forgotten in sixty")
    func memory() async throws {
        try await TestServer.with { server in
            let origin = "https://new.example"
            #expect(try await server.preflight("/token", from: origin).status == 403)
            let app = try await server.webApp(method: .none) { $0.webOrigins = [origin] }
            server.time.advance(11)
            #expect(try await server.preflight("/token", from: origin).status == 204)

            _ = try await server.database.execute("delete from client where id = \(app.id)")
            server.time.advance(61)
            #expect(try await server.preflight("/token", from: origin).status == 403)
        }
    }

    @Test("who makes origins up has so many looked up and no more, and drives out none that is known")
    func flood() async throws {
        try await TestServer.with { server in
            _ = try await OriginPage.made(in: server)
            #expect(try await server.preflight("/token", from: OriginPage.origin).status == 204)

            var outcomes: [String: Int] = [:]
            for number in 0..<220 {
                outcomes[
                    try await server.preflight("/token", from: "https://a\(number).example").outcome, default: 0] += 1
            }
            let slow = try await server.preflight("/token", from: "https://one-more.example")

            #expect(outcomes == ["403 access_denied": 199, "429 slow_down": 21])
            #expect(slow.outcome == "429 slow_down" && slow[header: "Retry-After"] != nil)
            #expect(try await server.preflight("/token", from: OriginPage.origin).status == 204)
        }
    }
}
