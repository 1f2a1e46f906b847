import Base
import Database
import Foundation

/// Rows of `document_history`: one when state, reason or document of a service changes, not one for each crawl.
enum CrawlHistory {
    /// Kept for a service.
    static let most = 100

    /// - Parameter moved: which endpoint went where, if any.
    static func write(
        _ verdict: CrawlVerdict, of target: CrawlTarget, from state: String, moved: String? = nil, at now: Date
    ) -> SQL {
        let failure = verdict.failure, detail = failure?.detail ?? moved
        return """
            insert into document_history (service, at, from_state, to_state, reason, detail, hash, source,
                document_url, added, removed, warnings)
            values (\(target.service), \(now), \(state), \(verdict.state.rawValue),
                \(failure?.reason.rawValue as String?), \(detail),
                \(verdict.hash as [UInt8]?), \(verdict.source?.rawValue as String?),
                    \(verdict.documentURL as String?), \(verdict.added), \(verdict.removed),
                \(verdict.told))
            """
    }

    /// Beyond ``most``, after rows of these services were written.
    static func forgetOld(_ services: [String]) -> SQL {
        """
        delete from document_history h using unnest(\(services)::text[]) as s (id)
        where h.service = s.id and h.seq <= (select o.seq from document_history o where o.service = s.id
            order by o.seq desc offset \(most) limit 1)
        """
    }
}

extension CrawlStore {
    /// Newest first, before the cursor `after`, which is an item's `seq`.
    func history(_ service: String, after: Int64?, limit: Int) async throws -> [JSONValue] {
        let before = after ?? Int64.max
        let rows = try await database.query(
            """
            select h.seq, h.at, h.from_state, h.to_state, h.reason, h.detail, encode(h.hash, 'hex') as hash,
                h.source, h.document_url, h.added, h.removed, h.warnings
            from document_history h where h.service = \(service) and h.seq < \(before) order by h.seq desc
                limit \(limit)
            """)
        return try rows.map { try CrawlStore.change($0) }
    }

    private static func change(_ row: Row) throws(DatabaseError) -> JSONValue {
        func text(_ column: String) throws(DatabaseError) -> JSONValue { JSONValue(try row(column, as: String?.self)) }
        func names(_ column: String) throws(DatabaseError) -> JSONValue {
            JSONValue(strings: try row(column, as: [String].self))
        }
        let at: Date = try row("at"), seq: Int64 = try row("seq")
        let told = CrawlWarning.json(try row("warnings"))
        return .object([
            "at": .string(at.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "from": try text("from_state"), "to": try text("to_state"),
            "reason": try text("reason"), "detail": try text("detail"), "added": try names("added"),
            "removed": try names("removed"),
            "warnings": told.warnings, "notices": told.notices, "source": try text("source"),
            "document_url": try text("document_url"),
            "hash": try text("hash"),
            "seq": .string(String(seq)),
        ])
    }
}
