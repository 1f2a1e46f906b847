import Base
import Database
import Federation
import Keys
import TestSupport
import Testing

/// Somebody who reads the federation by OpenID Federation 1.0, and checks what they read.
struct FederationReader: Sendable {
    static let anchor = ServerParts.root
    static let statementType = "entity-statement+jwt"

    let server: TestServer

    static func entity(_ service: String) -> String { anchor + "/federation/entity/" + service }

    func ask(
        _ endpoint: OpenIDFederation.Endpoint, _ parameters: KeyValuePairs<String, String> = [:]
    ) async throws -> Reply {
        try await server.get(endpoint.rawValue + "?" + FormCodec.write(parameters.map { ($0.key, $0.value) }))
    }

    func askConfiguration(_ entity: String) async throws -> Reply {
        try await server.get(entity + "/.well-known/openid-federation")
    }

    /// An entity configuration, signed by a key that it shows itself.
    func configuration(_ entity: String) async throws -> JWT {
        let reply = try await askConfiguration(entity)
        try #require(
            reply.outcome == "200" && reply[header: "Content-Type"] == "application/entity-statement+jwt",
            "\(reply.body)")
        let jwt = try await checked(reply.body, by: JWT(reply.body)["jwks"])
        #expect(jwt["iss"] == .string(entity) && jwt["sub"] == .string(entity))
        return jwt
    }

    /// What the anchor says about an entity, signed by a key of its configuration.
    func statement(_ entity: String) async throws -> JWT {
        let reply = try await ask(.fetch, ["sub": entity]), anchor = try await configuration(FederationReader.anchor)
        try #require(
            reply.outcome == "200" && reply[header: "Content-Type"] == "application/entity-statement+jwt",
            "\(reply.body)")
        let jwt = try await checked(reply.body, by: anchor["jwks"])
        #expect(jwt["iss"] == .string(FederationReader.anchor) && jwt["sub"] == .string(entity))
        return jwt
    }

    func checked(_ text: String, by jwks: JSONValue?, type: String = FederationReader.statementType) async throws -> JWT
    {
        let jwt = try JWT(text), keys = try await JSONWebKey.set(try #require(jwks))
        try #require(jwt.type == type)
        try #require(
            keys.contains { $0.kid == jwt.kid && jwt.isSigned(by: $0) }, "no key of the set made the signature")
        return jwt
    }

    func move(_ service: String, to status: FederationService.Status) async throws {
        _ = try await ServiceIndex(clock: server.parts.time.clock).move(service, to: status, in: server.database)
    }

    /// As the crawler would leave it.
    func crawl(_ service: String) async throws {
        let document = try await server.get("/services/\(service)/rsd").json
        let put = ServiceListing.put(
            document, protocols: document["apis"]?.object?.names ?? [], of: service, at: server.time.now)
        try await server.database.batch(["update service_document set state = 'ok' where service = \(service)"] + put)
    }

    /// `count` more active services, `more-000` and on.
    func add(_ count: Int, named prefix: String = "more") async throws {
        let now = server.time.now, client = server.residents.quiet.id
        for number in 0..<count {
            let id = "\(prefix)-\(String(number + 1_000).dropFirst())", base = "https://\(id).example.org"
            try await server.database.execute(
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, created_at,
                    changed_at, listed_at)
                values (\(id), \(id), \(base), 'active', \(client), \(base + "/token"), \(base + "/events"),
                    \(now), \(now), \(now))
                """)
        }
    }
}
