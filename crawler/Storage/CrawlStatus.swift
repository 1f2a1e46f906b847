import Accounts
import Base
import Database
import Foundation

/// The rows as operators see them: `crawl status` and `crawl show`.
extension CrawlStore {
    /// By service id, after the cursor `after`. Empty `services` means all; `state` only those in it.
    func status(
        services: [String], state: CrawlState? = nil, of filter: InstitutionFilter = .everything, after: String?,
        limit: Int
    ) async throws -> [JSONValue] {
        let some: SQL = services.isEmpty ? "true" : "s.id = any(\(services))"
        let inState: SQL =
            switch state {
            case nil: "true"
            case .suspended: "s.status = 'suspended'"
            case .some(let state): "s.status <> 'suspended' and d.state = \(state.rawValue)"
            }
        let rows = try await database.query(
            """
            select s.id as service, s.base, case when s.status = 'suspended' then 'suspended'
                else d.state end as state, d.reason, d.detail,
                d.warnings, d.source, d.document_url, d.http_status, encode(d.hash, 'hex') as hash, d.etag,
                    d.last_modified,
                d.last_try, d.last_ok, d.next_try, d.failures, d.protocols, d.forgotten_at
            from service s join service_document d on d.service = s.id
            where \(some) and \(inState) and \(filter.condition("s.institution", service: "s.id"))
                and s.id > \(after ?? "") order by s.id limit \(limit)
            """)
        return try rows.map(CrawlStore.item)
    }

    /// The document as discovery would give it; `nil` without one.
    func document(_ service: String) async throws -> JSONValue? {
        let rows = try await database.query("select document from service_document where service = \(service)")
        return try rows.first.flatMap { try $0("document") }
    }

    /// How many services are in each state, and for how many seconds the one that is due longest has waited.
    func counts(now: Date) async throws -> (states: [CrawlState: Int], overdue: TimeInterval) {
        let results = try await database.batch([
            """
            select case when s.status = 'suspended' then 'suspended' else d.state end as state, count(*) as services
            from service s join service_document d on d.service = s.id where s.status <> 'removed' group by 1
            """,
            """
            select d.next_try from service_document d join service s on s.id = d.service
            where d.next_try <= \(now) and (d.claimed_until is null or d.claimed_until <= \(now))
                and s.status not in ('suspended', 'removed')
            order by d.next_try limit 1
            """,
        ])
        var states: [CrawlState: Int] = [:]
        for row in results.first ?? [] {
            let word: String = try row("state"), count: Int = try row("services")
            if let state = CrawlState(rawValue: word) { states[state] = count }
        }
        let oldest: Date? = try results.last?.first.map { try $0("next_try") }
        return (states, oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0)
    }

    private static func item(_ row: Row) throws(DatabaseError) -> JSONValue {
        func text(_ column: String) throws(DatabaseError) -> JSONValue { JSONValue(try row(column, as: String?.self)) }
        func time(_ column: String) throws(DatabaseError) -> JSONValue {
            JSONValue(
                try row(column, as: Date?.self).map {
                    $0.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                })
        }
        let status: Int? = try row("http_status"), protocols: [String] = try row("protocols")
        let isShown = CrawlState(rawValue: try row("state"))?.isDiscoverable == true
        let missing = isShown ? CrawlWarning.missing(in: protocols).map(\.rawValue) : []
        let told = CrawlWarning.json(try row("warnings", as: [String].self) + missing)
        return .object([
            "service": try text("service"), "base": try text("base"), "state": try text("state"),
            "reason": try text("reason"),
            "detail": try text("detail"),
            "warnings": told.warnings, "notices": told.notices,
            "source": try text("source"),
            "document_url": try text("document_url"), "http_status": status.map(JSONValue.integer) ?? .null,
            "hash": try text("hash"),
            "etag": try text("etag"), "last_modified": try text("last_modified"), "last_try": try time("last_try"),
            "last_ok": try time("last_ok"),
            "next_try": try time("next_try"), "failures": .integer(try row("failures")),
            "protocols": JSONValue(strings: protocols),
            "forgotten_at": try time("forgotten_at"),
        ])
    }
}
