import Base
import Database
import Foundation
import Vocabulary

/// The immediate subordinates: all at once (OpenID Federation 1.0, 8.2), and in pages (Extended Subordinate Listing
/// 1.0).
extension OpenIDFederation {
    /// Most entities of a page, and of a page with statements, each of which costs a signature.
    static let mostEntities = 500
    static let mostStatements = 100
    /// The claim that stands for the signed statement itself.
    static let statementClaim = "subordinate_statement"

    /// Every identifier, in the order of the pages.
    public func list(_ query: EntityQuery) async throws -> JSONValue {
        let chosen = try OpenIDFederation.condition(query)
        let rows = try await database.query(
            "select s.id from service s left join service_document d on d.service = s.id where \(chosen) order by s.id")
        var identifiers: [JSONValue] = []
        for row in rows {
            let id: String = try row("id")
            identifiers.append(.string(names.of(id)))
        }
        return .array(identifiers)
    }

    /// One page in the order of ids, so what is added or goes meanwhile moves nothing. `next` is the identifier at
    /// which the next page begins, whether its service is active by then or not; `from_entity_id` and `next_entity_id`
    /// are its names in drafts before 03.
    public func page(_ query: EntityQuery) async throws -> JSONValue {
        // Each once: a claim may cost a signature for every entity.
        let claims = Set(
            query.all("claims").flatMap { list in list.split { $0 == "," || $0 == " " } }.map { String($0) })
        let most =
            claims.contains(OpenIDFederation.statementClaim)
            ? OpenIDFederation.mostStatements : OpenIDFederation.mostEntities
        let limit = min(try query.number("limit", from: 1) ?? most, most)
        let after = try query.number("updated_after", from: 0), before = try query.number("updated_before", from: 0)
        let stamps = try query.flag("audit_timestamps") ?? (after != nil || before != nil)
        var conditions: [SQL] = [try OpenIDFederation.condition(query)]
        if let after { conditions.append("s.changed_at >= \(Date(numericDate: after))") }
        if let before { conditions.append("s.changed_at < \(Date(numericDate: before + 1))") }
        var document: SQL = "d.service = s.id"
        if let start = try await beginning(query) {
            conditions.append("s.id >= \(start)")
            // Says nothing new, but the planner would read all documents before this one.
            document += " and d.service >= \(start)"
        }
        let rows = try await database.query(
            """
            select \(FederationListing.columns(documents: false)) from service s
                left join service_document d on \(document)
            where \(conditions.joined(separator: " and ")) order by s.id limit \(limit + 1)
            """
        ).map { try ListedService($0) }
        let now = clock.now()
        var entities: [JSONValue] = []
        for row in rows.prefix(limit) {
            entities.append(.object(try await listed(row, claims, stamps: stamps, at: now)))
        }
        var answer: JSONObject = ["immediate_subordinate_entities": .array(entities)]
        if rows.count > limit, let next = rows.last {
            answer["next"] = .string(names.of(next.id))
            answer["next_entity_id"] = answer["next"]
        }
        return .object(answer)
    }

    private func listed(
        _ row: ListedService, _ claims: Set<String>, stamps: Bool, at now: Date
    ) async throws -> JSONObject {
        var entity: JSONObject = ["id": .string(names.of(row.id))]
        if stamps {
            entity["registered"] = .integer(row.createdAt.numericDate)
            entity["updated"] = .integer(row.updatedAt.numericDate)
        }
        guard !claims.isEmpty else { return entity }
        let statement = try await statementClaims(row, now)
        for name in claims.sorted() {
            if name == OpenIDFederation.statementClaim {
                entity[name] = .string(try await signed(.statement, statement))
            } else if let value = statement[name] {
                entity[name] = value
            }
        }
        return entity
    }

    /// The id at which the page begins. Who stood there may have gone since, but must have been there.
    private func beginning(_ query: EntityQuery) async throws -> String? {
        let pointer = query.one("from")
        guard let identifier = pointer ?? query.one("from_entity_id") else { return nil }
        guard let id = names.service(identifier), try await FederationListing().find(id, in: database) != nil else {
            throw pointer == nil
                ? OAuthError(.entityNotFound, "from_entity_id is no entity of this federation")
                : OAuthError(.pageNotFound, "from must be what an answer gave as next")
        }
        return id
    }

    /// Which services the filters of 8.2.1 leave. With several entity types: who has any of them.
    private static func condition(_ query: EntityQuery) throws(OAuthError) -> SQL {
        for name in ["trust_marked", "trust_mark_type", "trust_mark_id"] where query.one(name) != nil {
            throw OAuthError(.unsupportedParameter, "\(name) is not supported: no trust marks are issued here")
        }
        let types = Set(query.all("entity_type")), active: SQL = "s.status = 'active'", nobody: SQL = "false"
        // All of them are leaves.
        if try query.flag("intermediate") == true { return nobody }
        if types.isEmpty || types.contains(EntityMetadata.federationType) || types.contains(EntityMetadata.serviceType)
        {
            return active
        }
        guard types.contains(EntityMetadata.resourceType) else { return nobody }
        let wanted = [EntityMetadata.oauth]
        let sets: SQL = "select p.id from protocol_set p where p.names @> \(wanted)"
        return "(\(FederationListing.isFound) and d.protocol_set = any (array(\(sets))))"
    }
}
