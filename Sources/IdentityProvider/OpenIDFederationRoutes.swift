import Base
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth

/// The bridge to OpenID Federation 1.0: the anchor's entity, the entities of services, and the federation endpoints (8,
/// 9). All of it is public, but for the lists where the operator says otherwise.
enum OpenIDFederationRoutes {
    /// What a cache may keep: a little of what services have, since a suspension should show at once; more of the
    /// anchor's, as of its key set.
    private static let seconds = 5, anchorSeconds = 60

    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let federation = idp.federation, access = idp.listing, base = idp.realm.base
        let entity = "/federation/entity/{id}"
        return [
            Endpoint(
                .get, "/.well-known/openid-federation", "Entity configuration of the trust anchor (OpenID Federation)"
            ) { _, _ in
                jwt(try await federation.configuration(), .statement, seconds: anchorSeconds)
            }.forOrigins(.any),
            Endpoint(.get, entity + "/.well-known/openid-federation", "Entity configuration of an active service") {
                _, context in
                jwt(try await federation.configuration(of: context.parameters.get("id") ?? ""), .statement)
            }.forOrigins(.any),
            Endpoint(.get, entity + "/rsd", "RSD2 document of an active service, as discovery has it") { _, context in
                let document = try await federation.description(of: context.parameters.get("id") ?? "")
                return Answer.text(document, type: "application/x-rsd+json", headers: headers(seconds))
            }.forOrigins(.any),
            endpoint(.fetch, "Subordinate statement about a service: sub") {
                jwt(try await federation.statement($0), .statement)
            },
            listing(.list, "All entities: entity_type, intermediate", access, base) {
                Answer.json(try await federation.list($0), store: true, headers: access.headers(seconds: seconds))
            },
            listing(
                .extendedList,
                """
                Entities in pages: from, limit, updated_after, updated_before, claims, audit_timestamps, \
                entity_type, intermediate
                """, access, base
            ) {
                Answer.json(try await federation.page($0), store: true, headers: access.headers(seconds: seconds))
            },
            endpoint(.resolve, "Metadata and trust chain of an entity: sub, trust_anchor, entity_type") {
                jwt(try await federation.resolution($0), .resolution)
            },
            Endpoint(.get, OpenIDFederation.Endpoint.historicalKeys.rawValue, "Signing keys of the past") { _, _ in
                jwt(try await federation.historicalKeys(), .keys, seconds: anchorSeconds)
            }.forOrigins(.any),
        ]
    }

    private typealias Answering = @Sendable (EntityQuery) async throws -> Response

    private static func endpoint(
        _ endpoint: OpenIDFederation.Endpoint, _ summary: String, _ answer: @escaping Answering
    ) -> Endpoint {
        Endpoint(.get, endpoint.rawValue, summary) { request, _ in try await answer(try EntityQuery(request.uri.query))
        }.forOrigins(.any)
    }

    /// Who may read it is asked before what was asked for is looked at.
    private static func listing(
        _ endpoint: OpenIDFederation.Endpoint, _ summary: String, _ access: ListingAccess, _ base: String,
        _ answer: @escaping Answering
    ) -> Endpoint {
        Endpoint(.get, endpoint.rawValue, summary) { request, context in
            try await access.require(request.presented(base, context))
            return try await answer(try EntityQuery(request.uri.query))
        }.forOrigins(access.policy == .public ? .any : .none)
    }

    private static func jwt(
        _ text: String, _ type: OpenIDFederation.Document, seconds: Int = OpenIDFederationRoutes.seconds
    ) -> Response {
        Answer.text(text, type: "application/\(type.rawValue)", headers: headers(seconds))
    }

    private static func headers(_ seconds: Int) -> HTTPFields {
        [.cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*"]
    }
}
