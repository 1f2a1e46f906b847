import Base
import Database
import Foundation

/// The rows as operators see them: `crawl status` and `crawl show`.
extension CrawlStore {
    /// By service id, after the cursor `after`. Empty `services` means all.
    func status(services: [String], after: String?, limit: Int) async throws -> [JSONValue] {
        let some: SQL = services.isEmpty ? "true" : "s.id = any(\(services))"
        let rows = try await database.query("""
            select s.id as service, s.base, case when s.status = 'suspended' then 'suspended' else d.state end as state, d.reason, d.detail,
                d.warnings, d.source, d.document_url, d.http_status, encode(d.hash, 'hex') as hash, d.etag, d.last_modified,
                d.last_try, d.last_ok, d.next_try, d.failures, d.protocols
            from service s join service_document d on d.service = s.id
            where \(some) and s.id > \(after ?? "") order by s.id limit \(limit)
            """)
        return try rows.map(CrawlStore.item)
    }

    /// The document as discovery would give it; `nil` without one.
    func document(_ service: String) async throws -> JSONValue? {
        let rows = try await database.query("select document from service_document where service = \(service)")
        return try rows.first.flatMap { try $0("document") }
    }

    private static func item(_ row: Row) throws(DatabaseError) -> JSONValue {
        func text(_ column: String) throws(DatabaseError) -> JSONValue { JSONValue(try row(column, as: String?.self)) }
        func time(_ column: String) throws(DatabaseError) -> JSONValue {
            JSONValue(try row(column, as: Date?.self).map { $0.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) })
        }
        let status: Int? = try row("http_status")
        return .object([
            "service": try text("service"), "base": try text("base"), "state": try text("state"), "reason": try text("reason"),
            "detail": try text("detail"), "warnings": JSONValue(strings: try row("warnings", as: [String].self)), "source": try text("source"),
            "document_url": try text("document_url"), "http_status": status.map(JSONValue.integer) ?? .null, "hash": try text("hash"),
            "etag": try text("etag"), "last_modified": try text("last_modified"), "last_try": try time("last_try"), "last_ok": try time("last_ok"),
            "next_try": try time("next_try"), "failures": .integer(try row("failures")),
            "protocols": JSONValue(strings: try row("protocols", as: [String].self)),
        ])
    }
}
