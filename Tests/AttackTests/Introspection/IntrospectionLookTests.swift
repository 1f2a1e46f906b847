import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Looking at tokens that are another's, dead, or none.
@Suite("Attacks on introspection (groups 52 and 54)", .server)
struct IntrospectionLookTests {
    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    @Test(
        "group 52: a token for another audience, client or service looks like none",
        arguments: ["access token", "refresh token", "PAT", "assertion", "service token", "machine's for a service"])
    func foreign(_ kind: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), other = try await server.webApp(),
            phone = try await Phone.registered(in: server)
        let token: String =
            switch kind {
            case "access token": try await app.logIn(Browser(server)).accessToken
            case "refresh token": try await app.logIn(Browser(server)).refreshToken
            case "PAT": try await phone.logIn().accessToken
            case "assertion": try await phone.assertion(phone.logIn(), for: ServerParts.base)
            case "service token": try await phone.joinService().accessToken
            default:
                try await server.post(
                    "/token", ["grant_type": "client_credentials", "resource": ServerParts.base],
                    headers: basic(server.residents.machine)
                ).accessToken
            }
        try #require(!token.isEmpty)
        let callers =
            [other.basic, basic(server.residents.quiet)]
            + (["assertion", "machine's for a service"].contains(kind) ? [] : [basic(server.residents.learn)])

        for asker in callers {
            let reply = try await server.post("/introspect", ["token": token], headers: asker)
            #expect(reply.status == 200 && reply.body == "{\"active\":false}", "\(reply.body)")
        }
    }

    /// No limit on the rate of guesses: a refresh token is an HMAC, an access token a signature, and a wrong one is
    /// known before the database is asked. What a scan can learn is nothing, at any rate.
    @Test("group 52: unknown, malformed, expired, revoked, used and foreign tokens are answered in the same bytes")
    func sameBytes() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), other = try await server.webApp()
            let (expired, revoked, foreign) = (
                try await app.logIn(Browser(server)), try await app.logIn(Browser(server)),
                try await other.logIn(Browser(server))
            )
            let used = try await app.logIn(Browser(server))
            try #require(try await app.refresh(used.refreshToken).outcome == "200")
            server.time.advance(3_601)
            for token in [revoked.refreshToken, revoked.accessToken] {
                #expect(try await server.post("/revoke", ["token": token], headers: app.basic).status == 200)
            }
            let live = try await app.logIn(Browser(server))
            try #require(
                try await server.post("/introspect", ["token": live.accessToken], headers: app.basic).json["active"]
                    == true)

            var told: Set<String> = []
            for token in [
                expired.accessToken, revoked.accessToken, revoked.refreshToken, foreign.refreshToken, used.refreshToken,
                "x", "a.b.c", live.accessToken + "x", String(live.refreshToken.dropLast()), live["id_token"] ?? "",
                UUID().uuidString, live.jti, String(repeating: "x", count: 40_000), "é", "\u{1}",
                live.accessToken.split(separator: ".")[..<2].joined(separator: ".") + ".",
            ] {
                let reply = try await server.post("/introspect", ["token": token], headers: app.basic)
                let headers = reply.headers.filter { !["date"].contains($0.name.canonicalName) }.map {
                    "\($0.name): \($0.value)"
                }.sorted()
                told.insert("\(reply.status) \(headers) \(reply.body)")
            }
            #expect(told.count == 1, "\(told)")
        }
    }

    @Test(
        "group 52: without authentication, or by a public client, nobody is told anything",
        arguments: ["nobody", "public", "wrong secret", "a user's bearer token"])
    func unauthenticated(_ who: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            open = try await server.webApp(method: .none), tokens = try await app.logIn(Browser(server))
        let reply =
            switch who {
            case "nobody": try await server.post("/introspect", ["token": tokens.accessToken])
            case "public": try await server.post("/introspect", ["token": tokens.accessToken, "client_id": open.id])
            case "wrong secret":
                try await server.post("/introspect", ["token": tokens.accessToken], headers: basic((app.id, "wrong")))
            default:
                try await server.post(
                    "/introspect", ["token": tokens.accessToken],
                    headers: [.authorization: "Bearer \(tokens.refreshToken)"])
            }
        #expect(reply.status == 401 && reply.json["active"] == nil, "\(reply.body)")
    }

    /// There is no cache to be warm: each look reads the row and the revocations above it. So the bound of staleness is
    /// zero, and a database that is away is said to be so.
    @Test(
        """
        group 54: a token that was looked at a moment ago is not told live from memory: 503 while the database is \
        away, inactive when it was ended meanwhile
        """
    )
    func partition() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            tokens = try await app.logIn(Browser(server)), phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        @Sendable func look(_ place: TestServer) async throws -> Reply {
            try await place.post("/introspect", ["token": tokens.accessToken], headers: app.basic)
        }
        try await server.withReplica { replica async throws in
            for place in [server, replica, server, replica] { #expect(try await look(place).json["active"] == true) }

            try await server.withoutDatabase { away in
                for _ in 0..<3 {
                    let reply = try await look(away)
                    #expect(
                        reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] != nil
                            && reply.json["active"] == nil)
                }
                #expect(
                    try await away.get("/userinfo", headers: [.authorization: "Bearer \(tokens.accessToken)"]).outcome
                        == "503 temporarily_unavailable")
                #expect(
                    try await away.get("/userinfo", headers: try phone.dpop(.get, "/userinfo", token: pat.accessToken))
                        .outcome == "503 temporarily_unavailable")
            }

            #expect(try await server.post("/revoke", ["token": tokens.refreshToken], headers: app.basic).status == 200)
            for place in [server, replica] { #expect(try await look(place).body == "{\"active\":false}") }
        }
    }
}
