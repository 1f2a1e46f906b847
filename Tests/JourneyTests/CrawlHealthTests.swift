import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

@Suite("crawl health by HTTP, for machines that administer", .server)
struct CrawlHealthTests {
    private static let root = "/admin/api/v1/crawl"

    private func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }

    /// A client as `pando admin clients create --grant client_credentials --scope admin` makes one.
    private func monitor(_ server: TestServer) async throws -> WebApp {
        try await server.webApp("Monitor", redirectURIs: [], scope: "admin read", grants: ["client_credentials"])
    }

    private func token(_ app: WebApp, scope: String) async throws -> String {
        try await app.server.post("/token", ["grant_type": "client_credentials", "scope": scope], headers: app.basic)
            .accessToken
    }

    @Test("a machine with scope admin reads health, history, and what a dry run finds")
    func reads() async throws {
        try await TestServer.with { server in
            let app = try await monitor(server), headers = bearer(try await token(app, scope: "admin"))

            let page = try await server.get(Self.root + "?limit=1", headers: headers),
                one = try await server.get(Self.root + "/learn", headers: headers)
            let rest = try await server.get(Self.root + "?after=\(page["next"] ?? "")", headers: headers)
            let history = try await server.get(Self.root + "/learn/history", headers: headers)
            let run = try await server.send(.post, Self.root + "/learn/run?dry_run=true", headers: headers)

            func ids(_ reply: Reply) -> [String?] { (reply.json["items"]?.array ?? []).map { $0["service"]?.string } }
            #expect(ids(page) == ["learn"] && page["next"] == "learn" && ids(rest) == ["quiet"])
            #expect(one["service"] == "learn" && one["state"] == "pending")
            #expect(history.outcome == "200" && history.json["items"] == [] && history.json["next"] == .null)
            #expect(
                run["outcome"] == "failed" && run.json["trail"]?.array?.isEmpty == false
                    && run.json["advice"]?.array?.count == 1)
            #expect(
                try await server.get(Self.root + "/learn", headers: headers)["state"] == "pending",
                "a dry run writes nothing")
            #expect(try await server.get(Self.root + "?state=failed", headers: headers).json["items"] == [])
        }
    }

    @Test(
        "no token, a dead one, a machine's without the scope, and an app's are refused at every endpoint",
        arguments: ["", "/learn", "/learn/history", "/learn/run"])
    func refused(_ path: String) async throws {
        try await TestServer.with { server in
            let method: HTTPRequest.Method = path.hasSuffix("run") ? .post : .get, app = try await monitor(server)
            let other = try await token(app, scope: "read"), phone = try await Phone.registered(in: server),
                pat = try await phone.logIn()

            func ask(_ headers: HTTPFields) async throws -> String {
                try await server.send(method, Self.root + path, headers: headers).outcome
            }

            #expect(try await ask([:]) == "401 invalid_token")
            let dead = bearer("x.y.z"), unfit = bearer(other)
            #expect(try await ask(dead) == "401 invalid_token")
            #expect(try await ask(unfit) == "403 insufficient_scope")
            let proven = try phone.dpop(method, Self.root + path, token: pat.accessToken)
            #expect(try await ask(proven) == "403 insufficient_scope")
        }
    }

    @Test("a client that may not administer any more does not, whatever its token says")
    func withdrawn() async throws {
        try await TestServer.with { server in
            let app = try await monitor(server), headers = bearer(try await token(app, scope: "admin"))
            #expect(try await server.get(Self.root, headers: headers).outcome == "200")

            _ = try await server.database.execute("update client set scope = 'read' where id = \(app.id)")

            #expect(try await server.get(Self.root, headers: headers).outcome == "403 insufficient_scope")
        }
    }

    @Test(
        "what is no service, and what is no parameter",
        arguments: [
            ("/nobody", "404 not_found"), ("/nobody/history", "404 not_found"), ("?limit=0", "400 invalid_request"),
            ("?limit=1001", "400 invalid_request"),
            ("?state=fine", "400 invalid_request"), ("?after=%00", "400 invalid_request"),
            ("/learn/history?after=x", "400 usage"),
        ])
    func bad(path: String, outcome: String) async throws {
        try await TestServer.with { server in
            let app = try await monitor(server), headers = bearer(try await token(app, scope: "admin"))

            #expect(try await server.get(Self.root + path, headers: headers).outcome == outcome)
            #expect(
                try await server.send(.post, Self.root + "/learn/run?dry_run=yes", headers: headers).outcome
                    == "400 invalid_request")
        }
    }

    @Test("nobody gets the scope admin by registering: no invitation may give it, and none that does is believed")
    func registering() async throws {
        try await TestServer.with { server in
            let fixture = RegistrationFixture(server: server), policy = RegistrationPolicy(scopes: ["admin", "openid"])

            await #expect(throws: WebClientStore.Unacceptable.self) { _ = try await fixture.invitation(policy: policy) }
            let invitation = try await fixture.invitation(policy: .init(scopes: ["openid"]))
            _ = try await server.database.execute(
                "update invitation set policy = '{\"scopes\": [\"admin\", \"openid\"]}'")
            let reply = try await fixture.ask(
                RegistrationFixture.usual.with(["scope": "openid admin"]), token: invitation)

            // What it may not have is left out (RFC 7591, 3.2.1).
            #expect(reply.outcome == "201" && reply["scope"] == "openid")
        }
    }
}
