import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("POST /authorization: service assertions", .server)
struct AssertionTests {
    typealias Variant = Spoilt<JSONObject>

    @Test("the assertion says what the token and the index know, and names its ancestors by pseudonyms")
    func told() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await phone.askAssertion(pat)

        #expect(
            reply.outcome == "200" && reply["redirect_uri"] == ServerParts.tokenEndpoint && reply.json["state"] == nil)
        let assertion = claims(of: reply["code"] ?? ""), now = phone.server.now
        #expect(assertion["iss"] == .string(ServerParts.root) && assertion["aud"] == .string(ServerParts.tokenEndpoint))
        #expect(assertion["azp"] == .string(Residents.app) && assertion["client_id"] == .string(phone.clientID))
        #expect(assertion["iat"] == .integer(now) && assertion["exp"] == .integer(now + 300))
        #expect(assertion["cnf"]?["jkt"] == .string(phone.key.thumbprint))
        #expect(assertion["email"] == "ada@example.org" && assertion["name"] == "Ada" && assertion["given_name"] == nil)
        #expect(assertion["sub"] != claims(of: pat.accessToken)["sub"])
        // Epoch, version, instance, key, signing key, instance token, password, account, PAT, service, use, itself.
        let lineage = try #require(assertion["lineage"]?.strings)
        #expect(lineage.count == 12 && Set(lineage).count == 12)
        let id = try #require(NodeID(assertion["jti"]?.string ?? "")),
            own = try #require(try await phone.server.parts.store.find(id))
        #expect(lineage == own.lineage.map { phone.server.parts.names.node($0, at: "learn") })
        let header = try #require(reply["code"]?.split(separator: ".").first.flatMap { Base64URL.decode($0) })
        #expect(try JSONReader.read(header)["typ"] == "oauth-id-jag+jwt")
    }

    @Test("two services know one person by two names, one service by one")
    func pairwise() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            other = try await Phone.registered(in: server)
        let pat = try await phone.logIn(), otherPAT = try await other.logIn()

        let learn = try claims(of: await phone.assertion(pat)),
            quiet = try claims(of: await phone.assertion(pat, for: Residents.quietBase))
        let again = try claims(of: await other.assertion(otherPAT))

        #expect(learn["sub"] != quiet["sub"] && learn["sub"] == again["sub"])
        let shared = Set(learn["lineage"]?.strings ?? []).intersection(quiet["lineage"]?.strings ?? [])
        #expect(shared.isEmpty)
        #expect(quiet["email"] == nil)
    }

    @Test(
        "a service is found by its base or token endpoint, in any spelling; state comes back",
        arguments: [
            ServerParts.base, ServerParts.base + "/", "HTTP://LOCALHOST:8080/services/learn", ServerParts.tokenEndpoint,
        ])
    func spelling(_ target: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await phone.server.post(
            "/authorization",
            ["request_type": "code", "resource": target, "client_id": phone.clientID, "state": "a b"],
            headers: phone.dpop(.post, "/authorization", token: pat.accessToken))

        #expect(reply.outcome == "200" && reply["state"] == "a b")
    }

    @Test(
        "what is refused",
        arguments: [
            Variant("an unknown service", "404 invalid_target", "no active service") {
                $0["resource"] = "https://unknown.example.org"
            },
            Variant("a service with a query", "404 invalid_target", "no active service") {
                $0["resource"] = .string(ServerParts.base + "?x=1")
            },
            Variant("no address at all", "404 invalid_target", "no active service") { $0["resource"] = "learn" },
            Variant("no service named", "400 invalid_request", "redirect_uri is missing") { $0["resource"] = nil },
            Variant("no response type", "400 invalid_request", "response_type") { $0["response_type"] = nil },
            Variant("another response type", "400 unsupported_response_type", "response_type") {
                $0["response_type"] = "token"
            },
            Variant("another client", "400 invalid_request", "client_id") { $0["client_id"] = "somebody" },
        ])
    func refused(_ variant: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let body = try variant.applied(to: ["response_type": "code", "resource": .string(ServerParts.base)])

        let reply = try await phone.server.post(
            "/authorization", json: .object(body), headers: phone.dpop(.post, "/authorization", token: pat.accessToken))

        #expect(reply.outcome == variant.outcome)
        #expect(reply["error_description"]?.contains(variant.why) == true, "\(reply.body)")
    }

    @Test("a personal access token opens it, an instance token does not")
    func tokens() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        #expect(try await phone.askAssertion(phone.instance).outcome == "403 insufficient_scope")
        #expect(
            try await phone.server.post("/authorization", ["response_type": "code", "resource": ServerParts.base])
                .outcome == "401 invalid_token")
    }

    @Test("services used are listed, the most recent first")
    func usage() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            func used() async throws -> [String]? {
                try await phone.get("/service-discovery/user", token: pat.accessToken).json.strings
            }

            #expect(try await used() == [])
            for service in [ServerParts.base, Residents.quietBase] {
                _ = try await phone.assertion(pat, for: service)
                server.time.advance(1)
            }
            #expect(try await used() == [Residents.quietBase, ServerParts.base])
            _ = try await phone.assertion(pat)
            #expect(try await used() == [ServerParts.base, Residents.quietBase])
        }
    }

    @Test("the last of all is noted to the second, and order is told whatever the seconds")
    func usageWithinSecond() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            func notedAt() async throws -> Date? {
                try await server.database.query("select max(last_used) as at from service_usage").first.map {
                    try $0("at")
                }
            }

            _ = try await phone.assertion(pat)
            let first = try await notedAt()
            server.time.advance(0.3)
            _ = try await phone.assertion(pat)
            #expect(try await notedAt() == first)
            for service in [Residents.quietBase, ServerParts.base, Residents.quietBase] {
                server.time.advance(0.1)
                _ = try await phone.assertion(pat, for: service)
                let used = try await phone.get("/service-discovery/user", token: pat.accessToken).json.strings
                #expect(used?.first == service)
            }
            server.time.advance(1)
            _ = try await phone.assertion(pat, for: Residents.quietBase)
            #expect(try await notedAt() == server.time.now)
        }
    }

    @Test("a suspended service gets no assertion, a suspended person neither")
    func suspended() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()

            try await server.database.execute("update service set status = 'suspended' where id = 'learn'")
            #expect(try await phone.askAssertion(pat).outcome == "404 invalid_target")
            #expect(try await phone.askAssertion(pat, for: Residents.quietBase).outcome == "200")
            try await server.database.execute("update account set status = 'suspended' where username = 'ada'")
            #expect(try await phone.askAssertion(pat, for: Residents.quietBase).outcome == "401 invalid_token")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
        }
    }

    @Test("one that is asked for while its service is suspended and revoked is refused, or has ended when that is done")
    func race() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let service = Ancestor(.service, "learn"), revocation = server.parts.revocation
            for round in 0..<8 {
                async let asked = crowd(16) { number in
                    for _ in 0..<(number * 10) { await Task.yield() }
                    return try await phone.askAssertion(pat)
                }
                for _ in 0..<(round * 20) { await Task.yield() }
                // As `services suspend --revoke` does; nothing has been issued below the service since the last round.
                try await server.database.atomically { transaction in
                    _ = try await transaction.execute("update service set status = 'suspended' where id = 'learn'")
                    try await revocation.hold(service, in: transaction)
                    try await revocation.revoke(.virtual(service), by: .server, in: transaction)
                }

                for reply in try await asked {
                    guard reply.status != 200 else {
                        let id = try #require(NodeID(claims(of: reply["code"] ?? "")["jti"]?.string ?? ""))
                        #expect(try await server.parts.store.find(id)?.isRevoked == true)
                        continue
                    }
                    #expect(reply.outcome == "404 invalid_target")
                }
                try await server.database.execute("update service set status = 'active' where id = 'learn'")
            }
        }
    }
}
