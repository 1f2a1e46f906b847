import Base
import Database
import Foundation
import Vocabulary

/// A service as the public may see it: no reasons, no addresses that the crawler met, no endpoints of ours.
public struct ListedService: Sendable {
    public let id: String
    public let name: String
    public let base: String
    public let status: FederationService.Status
    /// Of its document (crawler.md, "Health"); `pending` where there is none.
    public let state: String
    /// As written in the document; empty unless the service is found by them now.
    public let protocols: [String]
    public let tokenEndpoint: String
    /// The RSD2 document, as discovery gives it; `nil` unless discovery does, or where the question left documents out.
    public let documentText: String?
    public let warnings: [String]
    public let lastOK: Date?
    public let updatedAt: Date
    public let createdAt: Date

    /// The document, read.
    public var document: JSONValue? { documentText.flatMap { try? JSONReader.read(Array($0.utf8)) } }

    /// As the public listing shows it. Of what is suspended or removed only that, so that a mirror can let it go.
    public func text(documents: Bool) -> String {
        var members: JSONObject = ["id": .string(id)]
        if status != .removed { members["name"] = .string(name) }
        members["base"] = .string(base)
        members["status"] = .string(status.rawValue)
        if status == .active {
            members["state"] = .string(state)
            members["protocols"] = JSONValue(strings: protocols.sorted())
            members["warnings"] = JSONValue(strings: warnings)
            members["last_ok"] = JSONValue(lastOK?.rfc3339)
        }
        members["updated_at"] = .string(updatedAt.rfc3339)
        let plain = JSONValue.object(members).text
        guard documents, status == .active else { return plain }
        return String(plain.dropLast()) + ",\"document\":" + (documentText ?? "null") + "}"
    }

    init(_ row: Row) throws(DatabaseError) {
        (id, name, base, status, state) = (
            try row("id"), try row("name"), try row("base"), try row("status"), try row("state")
        )
        (protocols, tokenEndpoint, documentText) = (
            try row("protocols"), try row("token_endpoint"), try row("document_text")
        )
        (warnings, lastOK, updatedAt, createdAt) = (
            try row("warnings"), try row("last_ok"), try row("changed_at"), try row("created_at")
        )
    }
}

/// Which services, and in which order: by id, or with `updatedSince` by the time of their last change.
public struct ListingQuery: Sendable, Hashable {
    let protocols: [String]
    let updatedSince: Date?
    let after: ListingCursor?
    let limit: Int
    let includesRemoved: Bool
    let documents: Bool

    /// - Parameters:
    ///   - protocols: every one of them is offered, in any spelling. What was removed or suspended has none and is not
    ///     asked for any.
    ///   - updatedSince: changed at this time or later.
    ///   - includesRemoved: suspended and removed services too, without documents; never one that was not active
    ///     before.
    ///   - documents: `false` leaves `documentText` out.
    public init(
        protocols: [String] = [], updatedSince: Date? = nil, after: ListingCursor? = nil, limit: Int = 100,
        includesRemoved: Bool = false,
        documents: Bool = true
    ) {
        // In one spelling, so that all who mean the same share its answer.
        (self.protocols, self.updatedSince, self.after) = (
            Set(protocols.map { ProtocolName.folded($0) }).sorted(), updatedSince, after
        )
        (self.limit, self.includesRemoved, self.documents) = (limit, includesRemoved, documents)
    }

    /// By id, among those that offer something: the question of apps and pages.
    var isByProtocols: Bool { !protocols.isEmpty && updatedSince == nil && !includesRemoved }
}

/// The public listing of the federation. A page begins after the last row of the page before, wherever that row is now:
/// what is added meanwhile moves nothing.
public struct FederationListing: Sendable {
    private let tables: ListedTables

    public init(_ tables: ListedTables = .index) { self.tables = tables }

    public func page(_ query: ListingQuery, in executor: any SQLExecutor) async throws -> [ListedService] {
        if query.isByProtocols { return try await offering(query, in: executor) }
        let isByChange = query.updatedSince != nil
        var conditions: [SQL] = [FederationListing.isPublic(query.includesRemoved)], document: SQL = "d.service = s.id"
        if !query.protocols.isEmpty {
            let sets: SQL = "select p.id from protocol_set p where p.names @> \(query.protocols)"
            let offers: SQL = "(\(FederationListing.isFound) and d.protocol_set = any (array(\(sets))))"
            conditions.append(query.includesRemoved ? "(s.status <> 'active' or \(offers))" : offers)
        }
        if let since = query.updatedSince { conditions.append("s.changed_at >= \(since)") }
        if let after = query.after {
            conditions.append(
                isByChange
                    ? "(s.changed_at, s.id) > (\(after.changedAt ?? Date.distantPast), \(after.id))"
                    : "s.id > \(after.id)")
            // Says nothing new, but the planner would read all documents before this one.
            if !isByChange { document += " and d.service > \(after.id)" }
        }
        let order: SQL = isByChange ? "s.changed_at, s.id" : "s.id"
        return try await executor.query(
            """
            select \(FederationListing.columns(documents: query.documents)) from \(tables.services) s
                left join \(tables.documents) d on \(document)
            where \(conditions.joined(separator: " and ")) order by \(order) limit \(query.limit)
            """
        ).map { try ListedService($0) }
    }

    /// Of each set of names that holds them all its first services after the cursor, in the order of an index; and of
    /// these the first. Thus a page costs the same in a small index and in a large one.
    private func offering(_ query: ListingQuery, in executor: any SQLExecutor) async throws -> [ListedService] {
        let after: SQL = query.after.map { "and d.service > \($0.id)" } ?? ""
        return try await executor.query(
            """
            select \(FederationListing.columns(documents: query.documents)) from (
                select one.service from (select p.id from protocol_set p where p.names @> \(query.protocols)) sets
                cross join lateral (
                    select d.service from \(tables.documents) d join \(tables.services) s on s.id = d.service
                    where d.protocol_set = sets.id and \(FederationListing.isLive) \(after)
                    order by d.service limit \(query.limit)
                ) one
                order by one.service limit \(query.limit)
            ) found join \(tables.services) s on s.id = found.service
                join \(tables.documents) d on d.service = s.id order by s.id
            """
        ).map { try ListedService($0) }
    }

    /// An active service, or one that was: it says so itself.
    public func find(_ id: String, in executor: any SQLExecutor) async throws -> ListedService? {
        try await executor.query(
            """
            select \(FederationListing.columns(documents: true)) from \(tables.services) s
                left join \(tables.documents) d on d.service = s.id
            where s.id = \(id) and \(FederationListing.isPublic(true))
            """
        ).first.map { try ListedService($0) }
    }

    /// Discovery finds it: the document is good, or was so lately.
    static let isFound: SQL = "\(isLive) and d.document_text is not null"
    /// Enough for what has a protocol set, since that comes with a document.
    static let isLive: SQL = "s.status = 'active' and d.state in ('ok', 'degraded', 'stale')"

    private static func isPublic(_ includesRemoved: Bool) -> SQL {
        includesRemoved
            ? "(s.status = 'active' or (s.status in ('suspended', 'removed') and s.listed_at is not null))"
            : "s.status = 'active'"
    }

    static func columns(documents: Bool) -> SQL {
        let text: SQL = documents ? "case when \(isFound) then d.document_text end" : "null::text"
        return """
            s.id, s.name, s.base, s.status, coalesce(d.state, 'pending') as state, s.token_endpoint, s.changed_at,
                s.created_at,
            case when \(isFound) then d.protocols else '{}' end as protocols, \(text) as document_text,
            case when s.status = 'active' then coalesce(d.warnings, '{}') else '{}' end as warnings,
            case when s.status = 'active' then d.last_ok end as last_ok
            """
    }
}
