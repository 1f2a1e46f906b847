import Base
import Federation
import Foundation
import Vocabulary

/// The parameters of `GET /federation/services`. Unknown ones are ignored.
struct ListingRequest: Sendable {
    static let mostItems = 200
    static let mostProtocols = 10

    let limit: Int
    let protocols: [String]
    let updatedSince: Date?
    let after: ListingCursor?
    let documents: Bool

    init(_ query: QueryItems) throws {
        limit = try ListingRequest.limit(try query.one("limit"))
        protocols = query.all("protocol")
        guard protocols.count <= ListingRequest.mostProtocols else {
            throw OAuthError(.invalidRequest, "protocol: at most \(ListingRequest.mostProtocols) of them, please")
        }
        guard protocols.allSatisfy({ (1...800).contains($0.utf8.count) }) else {
            throw OAuthError(.invalidRequest, "protocol: a name is empty or longer than 800 bytes")
        }
        updatedSince = try ListingRequest.time(try query.one("updated_since"))
        after = try ListingRequest.cursor(try query.one("after"), isByChange: updatedSince != nil)
        switch try query.one("documents") {
        case nil, "false": documents = false
        case "true": documents = true
        default: throw OAuthError(.invalidRequest, "documents must be true or false")
        }
    }

    /// One row more than fits, which tells whether there is a next page.
    var query: ListingQuery {
        ListingQuery(
            protocols: protocols, updatedSince: updatedSince, after: after, limit: limit + 1,
            includesRemoved: updatedSince != nil, documents: documents)
    }

    /// `{items, next}` of what `query` gave.
    func page(of rows: [ListedService]) -> String {
        let shown = rows.prefix(limit)
        let next =
            rows.count > limit ? shown.last.map { ListingCursor(after: $0, byChange: updatedSince != nil).text } : nil
        return "{\"items\":[" + shown.map { $0.text(documents: documents) }.joined(separator: ",") + "],\"next\":"
            + JSONValue(next).text + "}"
    }

    private static func limit(_ text: String?) throws -> Int {
        guard let text else { return 100 }
        guard let limit = Int(text), (1...mostItems).contains(limit) else {
            throw OAuthError(.invalidRequest, "limit must be a number from 1 to \(mostItems)")
        }
        return limit
    }

    private static func time(_ text: String?) throws -> Date? {
        guard let text else { return nil }
        guard let time = Date(rfc3339: text) else {
            throw OAuthError(
                .invalidRequest,
                """
                updated_since must be a time as in RFC 3339, e.g. 2026-11-21T10:00:00Z, with + of an offset written \
                as %2B
                """
            )
        }
        return time
    }

    private static func cursor(_ text: String?, isByChange: Bool) throws -> ListingCursor? {
        guard let text else { return nil }
        guard let cursor = ListingCursor(text) else {
            throw OAuthError(.invalidRequest, "after must be what the page before gave as next")
        }
        guard cursor.isByChange == isByChange else {
            throw OAuthError(
                .invalidRequest,
                "after comes from a listing \(isByChange ? "without" : "with") updated_since: ask on as you began")
        }
        return cursor
    }
}
