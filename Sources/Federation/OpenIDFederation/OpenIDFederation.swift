import Base
import Database
import Foundation
import Keys
import Vocabulary

/// The federation index as OpenID Federation 1.0 has it: the issuer is a trust anchor, and each active service an
/// immediate subordinate, whose entity is hosted here and signed with our keys (docs/openid-federation.md).
///
/// Everything is made from what is committed when it is asked for: a service that is suspended has no statement from
/// then on. Refusals are `OAuthError`.
public struct OpenIDFederation: Sendable {
    /// Below the issuer.
    public enum Endpoint: String, Sendable, CaseIterable {
        case fetch = "/federation/fetch"
        case list = "/federation/list"
        case extendedList = "/federation/extended-list"
        case resolve = "/federation/resolve"
        case historicalKeys = "/federation/historical-keys"
    }

    /// `typ`, and with `application/` before it the type of the answer.
    public enum Document: String, Sendable {
        case statement = "entity-statement+jwt"
        case resolution = "resolve-response+jwt"
        case keys = "jwk-set+jwt"
    }

    /// Seconds. Short for services, because whoever holds a statement believes it for so long.
    static let statementLife = 3_600
    static let anchorLife = 86_400

    let names: EntityIdentifiers
    let roles: JSONObject
    let keys: SigningKeys
    let database: Database
    let listing: ListingPolicy
    let clock: WallClock

    /// `roles` is the metadata of the anchor by entity type, besides `federation_entity`. `listing` says whether lists
    /// are announced; who may read them is for whoever answers there.
    public init(
        issuer: String, roles: JSONObject, keys: SigningKeys, database: Database, listing: ListingPolicy = .public,
        clock: WallClock
    ) {
        (names, self.roles, self.keys, self.database, self.listing, self.clock) = (
            EntityIdentifiers(anchor: issuer), roles, keys, database, listing, clock
        )
    }

    // MARK: Entity configurations (9)

    public func configuration() async throws -> String {
        try await signed(.statement, try await anchorClaims(clock.now()))
    }

    public func configuration(of service: String) async throws -> String {
        let row = try await entity(service)
        return try await signed(.statement, try await configurationClaims(row, clock.now()))
    }

    /// The RSD2 document to which the entity of a service points, as discovery has it.
    public func description(of service: String) async throws -> String {
        guard let text = try await entity(service).documentText else {
            throw OAuthError(.notFound, "no document of this service has been read yet")
        }
        return text
    }

    // MARK: Subordinate statements (8.1)

    public func statement(_ query: EntityQuery) async throws -> String {
        // Drafts before 1.0 had `iss` here too.
        if let issuer = query.one("iss"), issuer != names.anchor {
            throw OAuthError(.invalidIssuer, "statements are issued here by \(names.anchor) alone")
        }
        let subject = try query.required("sub")
        guard subject != names.anchor else {
            throw OAuthError(
                .invalidRequest,
                """
                there is no statement of the trust anchor about itself; read \
                \(names.anchor)/.well-known/openid-federation
                """
            )
        }
        let row = try await self.subject(subject)
        return try await signed(.statement, try await statementClaims(row, clock.now()))
    }

    // MARK: Resolving (8.3)

    public func resolution(_ query: EntityQuery) async throws -> String {
        let subject = try query.required("sub"), anchors = query.all("trust_anchor"),
            types = Set(query.all("entity_type"))
        guard !anchors.isEmpty else { throw OAuthError(.invalidRequest, "parameter trust_anchor is missing") }
        guard anchors.contains(names.anchor) else {
            throw OAuthError(.invalidTrustAnchor, "the only trust anchor known here is \(names.anchor)")
        }
        let now = clock.now(), anchor = try await anchorClaims(now)
        var chain = [anchor]
        if subject != names.anchor {
            let row = try await self.subject(subject)
            chain = [try await configurationClaims(row, now), try await statementClaims(row, now), anchor]
        }
        let metadata = (chain.first?["metadata"]?.object ?? [:]).filtered { types.isEmpty || types.contains($0) }
        var statements: [JSONValue] = []
        for claims in chain { statements.append(.string(try await signed(.statement, claims))) }
        let end = chain.compactMap { claims in claims["exp"]?.integer }.min() ?? now.numericDate
        return try await signed(
            .resolution,
            [
                "iss": .string(names.anchor), "sub": .string(subject), "iat": .integer(now.numericDate),
                "exp": .integer(end),
                "metadata": .object(metadata), "trust_chain": .array(statements),
            ])
    }

    // MARK: Historical keys (8.7)

    public func historicalKeys() async throws -> String {
        let past = try await keys.historical(database)
        return try await signed(
            .keys, ["iss": .string(names.anchor), "iat": .integer(clock.now().numericDate), "keys": .array(past)])
    }

    // MARK: Claims

    func anchorClaims(_ now: Date) async throws -> JSONObject {
        var metadata = roles
        metadata[EntityMetadata.federationType] = .object(EntityMetadata.ofAnchor(names.anchor, listing))
        return try await claims(names.anchor, about: names.anchor, metadata, life: OpenIDFederation.anchorLife, at: now)
    }

    func configurationClaims(_ row: ListedService, _ now: Date) async throws -> JSONObject {
        let entity = names.of(row.id)
        var claims = try await self.claims(
            entity, about: entity, metadata(row), life: OpenIDFederation.statementLife, at: now)
        claims["authority_hints"] = [.string(names.anchor)]
        return claims
    }

    /// With the metadata once more: that the federation vouches for it, and that a page of statements tells everything.
    func statementClaims(_ row: ListedService, _ now: Date) async throws -> JSONObject {
        var claims = try await self.claims(
            names.anchor, about: names.of(row.id), metadata(row), life: OpenIDFederation.statementLife, at: now)
        claims["source_endpoint"] = .string(names.anchor + Endpoint.fetch.rawValue)
        return claims
    }

    func signed(_ type: Document, _ claims: JSONObject) async throws -> String {
        try await keys.sign(type: type.rawValue, claims: claims)
    }

    private func metadata(_ row: ListedService) -> JSONObject {
        EntityMetadata.of(row, entity: names.of(row.id), anchor: names.anchor)
    }

    private func claims(
        _ issuer: String, about subject: String, _ metadata: JSONObject, life: Int, at now: Date
    ) async throws -> JSONObject {
        let jwks = try await keys.published(), iat = now.numericDate
        return [
            "iss": .string(issuer), "sub": .string(subject), "iat": .integer(iat), "exp": .integer(iat + life),
            "jwks": jwks, "metadata": .object(metadata),
        ]
    }

    // MARK: Who is meant

    /// The active service of this id.
    private func entity(_ service: String) async throws -> ListedService {
        guard EntityIdentifiers.isService(service), let row = try await FederationListing().find(service, in: database),
            row.status == .active
        else {
            throw OAuthError(.notFound, "there is no such entity in this federation")
        }
        return row
    }

    /// The active service that an entity identifier stands for. The base of a service is none: nothing at its own
    /// address would prove the chain. Who asks by it is told the right one.
    private func subject(_ identifier: String) async throws -> ListedService {
        if let id = names.service(identifier) { return try await entity(id) }
        let meant = try await ServiceIndex(clock: clock).active(identifier, in: database)
        let hint = meant.map { "; the service there is the entity \(names.of($0.id))" } ?? ""
        throw OAuthError(.notFound, "there is no such entity in this federation" + hint)
    }
}
