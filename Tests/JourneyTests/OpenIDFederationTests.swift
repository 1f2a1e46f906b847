import Base
import Database
import Federation
import Foundation
import Keys
import TestSupport
import Testing

@Suite("OpenID Federation 1.0: entities, statements, resolving", .server)
struct OpenIDFederationTests {
    private static let anchor = FederationReader.anchor
    private static let learn = FederationReader.entity("learn"), quiet = FederationReader.entity("quiet")

    private static func shared() throws -> FederationReader { FederationReader(server: try TestServer.ofSuite) }

    @Test(
        """
        the anchor's configuration holds the published keys, the federation endpoints, and the metadata that \
        discovery shows
        """
    )
    func anchor() async throws {
        let reader = try Self.shared(), server = reader.server

        let reply = try await reader.askConfiguration(Self.anchor), own = try await reader.configuration(Self.anchor)

        #expect(
            reply[header: "Cache-Control"] == "public, max-age=60"
                && reply[header: "Access-Control-Allow-Origin"] == "*")
        #expect(
            own["iat"] == .integer(server.now) && own["exp"] == .integer(server.now + 86_400)
                && own["authority_hints"] == nil)
        let keys = try await server.get("/jwks.json"),
            provider = try await server.get("/.well-known/openid-configuration")
        let described = try await server.get("/.well-known/oauth-authorization-server")
        #expect(own["jwks"] == keys.json && own["metadata"]?["openid_provider"] == provider.json)
        #expect(own["metadata"]?["oauth_authorization_server"] == described.json)
        for (name, endpoint) in [
            ("fetch", OpenIDFederation.Endpoint.fetch), ("list", .list), ("extended_list", .extendedList),
            ("resolve", .resolve),
            ("historical_keys", .historicalKeys),
        ] {
            #expect(
                own["metadata"]?["federation_entity"]?["federation_\(name)_endpoint"]
                    == .string(Self.anchor + endpoint.rawValue))
        }
    }

    @Test("a service's configuration points to the anchor, whose statement holds the same keys and metadata")
    func service() async throws {
        let reader = try Self.shared()

        let own = try await reader.configuration(Self.quiet), statement = try await reader.statement(Self.quiet)

        #expect(own["authority_hints"] == [.string(Self.anchor)] && statement["authority_hints"] == nil)
        #expect(own["jwks"] == statement["jwks"] && own["metadata"] == statement["metadata"])
        _ = try await reader.checked(own.compact, by: statement["jwks"])
        #expect(
            statement["exp"] == .integer(reader.server.now + 3_600)
                && statement["source_endpoint"] == .string(Self.anchor + "/federation/fetch"))
        #expect(statement["metadata"]?["federation_entity"]?["organization_uri"] == .string(Residents.quietBase))
        #expect(
            statement["metadata"]?["pando_service"]?["base"] == .string(Residents.quietBase)
                && statement["metadata"]?["pando_service"]?["rsd_uri"] == nil)
        #expect(
            statement["metadata"]?["oauth_resource"] == nil
                && statement["metadata"]?["oauth_authorization_server"] == nil)
        #expect(try await reader.server.get("/federation/entity/quiet/rsd").outcome == "404 not_found")
    }

    @Test("a service whose document was read shows its protocols, its token endpoint and the document")
    func crawled() async throws {
        try await TestServer.with { server in
            let reader = FederationReader(server: server)
            try await reader.crawl("learn")

            let metadata = try await reader.statement(Self.learn)["metadata"], service = metadata?["pando_service"]

            #expect(
                service?["protocols"]?.strings
                    == [ServerParts.gradesScope, ServerParts.viewerScope, "org.ietf.oauth2"].sorted())
            #expect(
                service?["token_endpoint"] == .string(ServerParts.tokenEndpoint)
                    && service?["assertion_issuer"] == .string(Self.anchor))
            #expect(metadata?["oauth_resource"]?["resource"] == .string(ServerParts.base))
            let document = try await server.get(try #require(service?["rsd_uri"]?.string))
            #expect(document[header: "Content-Type"] == "application/x-rsd+json" && document["engineName"] == "Learn")
        }
    }

    @Test("a service that is suspended is nowhere at once, and everywhere again when it is active again")
    func suspended() async throws {
        try await TestServer.with { server in
            let reader = FederationReader(server: server)
            func outcomes() async throws -> [String] {
                [
                    try await reader.askConfiguration(Self.learn).outcome,
                    try await reader.ask(.fetch, ["sub": Self.learn]).outcome,
                    try await reader.ask(.resolve, ["sub": Self.learn, "trust_anchor": Self.anchor]).outcome,
                ]
            }
            func listed() async throws -> [Bool] {
                let list = try await reader.ask(.list).json, page = try await reader.ask(.extendedList).json
                return [list.array?.contains(.string(Self.learn)) ?? false, page.text.contains("\"\(Self.learn)\"")]
            }
            let before = try await outcomes(), listedBefore = try await listed()

            try await reader.move("learn", to: .suspended)
            let during = try await outcomes(), listedDuring = try await listed()
            try await reader.move("learn", to: .active)
            let after = try await outcomes(), listedAfter = try await listed()

            #expect(before == ["200", "200", "200"] && listedBefore == [true, true])
            #expect(during == ["404 not_found", "404 not_found", "404 not_found"] && listedDuring == [false, false])
            #expect(after == before && listedAfter == listedBefore)
        }
    }

    @Test(
        "statements that are not given",
        arguments: [
            ("", "400 invalid_request"), ("sub=", "400 invalid_request"),
            ("sub=http://localhost:8080", "400 invalid_request"), ("sub=%ff", "400 invalid_request"),
            ("sub=a&sub=b", "400 invalid_request"),
            ("sub=http://localhost:8080/federation/entity/nobody", "404 not_found"),
            ("sub=http://localhost:8080/federation/entity/", "404 not_found"),
            ("sub=http://localhost:8080/federation/entity/learn/", "404 not_found"),
            ("sub=HTTP://localhost:8080/federation/entity/learn", "404 not_found"),
            ("sub=http://localhost:8080/federation/entity/learn%27", "404 not_found"),
            ("sub=http://localhost:8080/federation/entity/learn&iss=https://other.example.org", "404 invalid_issuer"),
            ("sub=learn", "404 not_found"),
        ])
    func refusedStatements(_ query: String, _ outcome: String) async throws {
        let reply = try await TestServer.ofSuite.get("/federation/fetch?" + query)

        #expect(
            reply.outcome == outcome && reply[header: "Cache-Control"] == "no-store"
                && reply["error_description"]?.isEmpty == false)
    }

    @Test("who asks by the base of a service is told its entity; the issuer may be named, as drafts had it")
    func byBase() async throws {
        let reader = try Self.shared()

        let base = try await reader.ask(.fetch, ["sub": Residents.quietBase]),
            named = try await reader.ask(.fetch, ["sub": Self.quiet, "iss": Self.anchor])

        #expect(
            base.outcome == "404 not_found" && base["error_description"]?.contains(Self.quiet) == true
                && named.outcome == "200")
    }

    @Test(
        "configurations that are not there",
        arguments: ["nobody", "Learn", "learn%2F", "%00", "..", String(repeating: "a", count: 64)])
    func nobody(_ id: String) async throws {
        let reply = try await TestServer.ofSuite.get("/federation/entity/\(id)/.well-known/openid-federation")

        #expect(reply.outcome == "404 not_found")
    }

    @Test(
        """
        a resolved entity: its metadata, and a chain from it to the anchor in which each is signed by a key of the \
        next
        """
    )
    func resolved() async throws {
        let reader = try Self.shared(), keys = try await reader.server.get("/jwks.json").json

        let reply = try await reader.ask(
            .resolve, ["sub": Self.quiet, "trust_anchor": "https://other.example.org", "trust_anchor": Self.anchor])

        #expect(reply.outcome == "200" && reply[header: "Content-Type"] == "application/resolve-response+jwt")
        let answer = try await reader.checked(reply.body, by: keys, type: "resolve-response+jwt")
        #expect(answer["iss"] == .string(Self.anchor) && answer["sub"] == .string(Self.quiet) && answer["aud"] == nil)
        let chain = try #require(answer["trust_chain"]?.strings)
        try #require(chain.count == 3)
        let anchor = try await reader.checked(chain[2], by: keys),
            statement = try await reader.checked(chain[1], by: anchor["jwks"])
        let leaf = try await reader.checked(chain[0], by: statement["jwks"])
        #expect([leaf, statement, anchor].map { $0.string("iss") } == [Self.quiet, Self.anchor, Self.anchor])
        #expect([leaf, statement, anchor].map { $0.string("sub") } == [Self.quiet, Self.quiet, Self.anchor])
        #expect(
            answer["metadata"] == leaf["metadata"] && answer["exp"] == leaf["exp"]
                && answer["exp"] == .integer(reader.server.now + 3_600))
    }

    @Test("only the entity types that are asked for; the anchor itself is a chain of one")
    func types() async throws {
        let reader = try Self.shared(), keys = try await reader.server.get("/jwks.json").json

        let some = try await reader.ask(
            .resolve,
            [
                "sub": Self.quiet, "trust_anchor": Self.anchor, "entity_type": "pando_service",
                "entity_type": "openid_provider",
            ])
        let anchor = try await reader.ask(
            .resolve, ["sub": Self.anchor, "trust_anchor": Self.anchor, "entity_type": "openid_provider"])

        let service = try await reader.checked(some.body, by: keys, type: "resolve-response+jwt")
        let provider = try await reader.checked(anchor.body, by: keys, type: "resolve-response+jwt")
        #expect(
            service["metadata"]?.object?.names == ["pando_service"]
                && provider["metadata"]?.object?.names == ["openid_provider"])
        #expect(provider["trust_chain"]?.array?.count == 1 && provider["exp"] == .integer(reader.server.now + 86_400))
    }

    @Test(
        "resolving that is refused",
        arguments: [
            ("trust_anchor=http://localhost:8080", "400 invalid_request"),
            ("sub=http://localhost:8080/federation/entity/quiet", "400 invalid_request"),
            (
                "sub=http://localhost:8080/federation/entity/quiet&trust_anchor=https://other.example.org",
                "404 invalid_trust_anchor"
            ),
            ("sub=http://localhost:8080/federation/entity/nobody&trust_anchor=http://localhost:8080", "404 not_found"),
            ("sub=https://quiet.example.org&trust_anchor=http://localhost:8080", "404 not_found"),
            ("sub=a&sub=b&trust_anchor=http://localhost:8080", "400 invalid_request"),
            ("sub=a" + String(repeating: "&trust_anchor=b", count: 33), "400 invalid_request"),
        ])
    func refusedResolving(_ query: String, _ outcome: String) async throws {
        let reply = try await TestServer.ofSuite.get("/federation/resolve?" + query)

        #expect(reply.outcome == outcome)
    }

    @Test(
        """
        a key that was revoked leaves every entity, signs nothing more, and stands among those of the past with the \
        time of its end
        """
    )
    func historicalKeys() async throws {
        try await TestServer.with { server in
            let reader = FederationReader(server: server), empty = try await server.get("/federation/historical-keys")
            let kid = try #require(try await reader.configuration(Self.learn).kid)
            server.time.advance(60)
            _ = try await server.database.transaction { try await server.parts.keys.revoke(kid, $0) }

            let own = try await reader.configuration(Self.learn),
                reply = try await server.get("/federation/historical-keys")

            #expect(own.kid != kid && !(own["jwks"]?.text.contains(kid) ?? true))
            #expect(reply[header: "Content-Type"] == "application/jwk-set+jwt")
            // What was signed in its time is still checked by it.
            let before = try await reader.checked(empty.body, by: claims(of: reply.body)["keys"], type: "jwk-set+jwt")
            let past = try await reader.checked(reply.body, by: own["jwks"], type: "jwk-set+jwt")
            let key = try #require(past["keys"]?.array?.first { $0["kid"] == .string(kid) })
            #expect(before["keys"] == [] && past["iss"] == .string(Self.anchor))
            let end: JSONValue = ["revoked_at": .integer(server.now), "reason": "compromised"]
            #expect(key["exp"] == .integer(server.now) && key["revoked"] == end && key["d"] == nil)
        }
    }

    @Test("the database is away: 503, and never that an entity is not there")
    func away() async throws {
        try await TestServer.ofSuite.withoutDatabase { away in
            let reader = FederationReader(server: away)
            let replies = [
                try await reader.askConfiguration(Self.anchor), try await reader.askConfiguration(Self.quiet),
                try await reader.ask(.fetch, ["sub": Self.quiet]),
                try await reader.ask(.list), try await reader.ask(.extendedList), try await reader.ask(.historicalKeys),
                try await reader.ask(.resolve, ["sub": Self.quiet, "trust_anchor": Self.anchor]),
            ]
            #expect(replies.map(\.outcome) == Array(repeating: "503 temporarily_unavailable", count: 7))
        }
    }
}
