import Base
import Database
import Foundation
import Vocabulary

/// The rows of `service_document`, and of `service` as far as a document speaks of it.
struct CrawlStore: Sendable {
    let database: Database

    /// Services whose crawl is due, each claimed by this worker for the time of a lease.
    func claimDue(among services: [String]? = nil, limit: Int, now: Date) async throws -> [CrawlTarget] {
        let among: SQL = services.map { "and d.service = any(\($0))" } ?? ""
        let rows = try await database.query("""
            with due as (
                select d.service from service_document d join service s on s.id = d.service
                where d.next_try <= \(now) and s.status not in ('suspended', 'removed') \(among)
                order by d.next_try limit \(limit) for update of d skip locked)
            update service_document d set next_try = \(now.addingTimeInterval(CrawlSchedule.lease))
            from due, service s where d.service = due.service and s.id = d.service
            returning \(CrawlTarget.columns)
            """)
        return try rows.map { try CrawlTarget($0) }
    }

    /// One service whatever its schedule says. A claim keeps the workers away meanwhile. `nil` when there is no such service.
    func target(_ service: String, claiming: Bool, now: Date) async throws -> CrawlTarget? {
        if claiming {
            _ = try await database.execute("""
                update service_document d set next_try = \(now.addingTimeInterval(CrawlSchedule.lease)) from service s
                where d.service = \(service) and s.id = d.service and s.status not in ('suspended', 'removed')
                """)
        }
        let rows = try await database.query("select \(CrawlTarget.columns) from service s join service_document d on d.service = s.id where s.id = \(service)")
        return try rows.first.map { try CrawlTarget($0) }
    }

    /// All that may be crawled, by id.
    func services(dueOnly: Bool, now: Date) async throws -> [String] {
        let due: SQL = dueOnly ? "and d.next_try <= \(now)" : ""
        let rows = try await database.query("""
            select d.service from service_document d join service s on s.id = d.service
            where s.status not in ('suspended', 'removed') \(due) order by d.service
            """)
        return try rows.map { try $0("service") }
    }

    /// Writes a verdict, in one transaction with everything that follows from a new document. A later crawl's verdict is not overwritten,
    /// and a service that was suspended meanwhile is left alone.
    /// - Returns: whether it was written.
    @discardableResult
    func save(_ verdict: CrawlVerdict, of target: CrawlTarget, started: Date, now: Date) async throws -> Bool {
        try await database.transaction { tx in
            let open = try await tx.query("""
                select 1 as open from service where id = \(target.service) and status not in ('suspended', 'removed') for no key update
                """)
            guard !open.isEmpty, try await tx.execute(row(verdict, target, started: started, now: now)) == 1 else { return false }
            if verdict.state.isDiscoverable != target.state.isDiscoverable || verdict.document != nil {
                _ = try await tx.query("select pg_notify('pando_federation', \(target.service))")
            }
            guard let document = verdict.document else { return true }
            _ = try await tx.batch(consequences(document, verdict, target, now: now))
            return true
        }
    }

    private func row(_ verdict: CrawlVerdict, _ target: CrawlTarget, started: Date, now: Date) -> SQL {
        let lastOK = verdict.failure == nil ? started : target.lastOK
        let lastSearch = verdict.searched ? now : target.lastSearch
        return """
            update service_document set state = \(verdict.state.rawValue), reason = \(verdict.failure?.reason.rawValue as String?),
                detail = \(verdict.failure?.detail as String?), warnings = \(verdict.warnings), source = \(verdict.source?.rawValue as String?),
                document_url = \(verdict.documentURL as String?), http_status = \(verdict.httpStatus as Int?), hash = \(verdict.hash as [UInt8]?),
                etag = \(verdict.validators.etag as String?), last_modified = \(verdict.validators.lastModified as String?),
                ttl_s = \(verdict.ttl as Int?), last_try = \(started), last_ok = \(lastOK as Date?), last_search = \(lastSearch as Date?),
                next_try = \(verdict.nextTry), failures = \(verdict.failures)
            where service = \(target.service) and (last_try is null or last_try <= \(started))
            """
    }

    private func consequences(_ document: ServiceDocument, _ verdict: CrawlVerdict, _ target: CrawlTarget, now: Date) -> [SQL] {
        let detail: JSONValue = .object(["added": JSONValue(strings: verdict.added), "removed": JSONValue(strings: verdict.removed)])
        var statements: [SQL] = ["""
            update service_document set document = \(document.json), protocols = \(verdict.protocols),
                offered = \(ProtocolName.offered(by: verdict.protocols)), changed_at = \(now) where service = \(target.service)
            """, """
            insert into audit (at, actor, action, node, outcome, detail)
            values (\(now), 'crawler', 'crawl.changed', \("service:" + target.service), 'done', \(detail))
            """]
        if let token = document.endpoint(protocol: "org.ietf.oauth2", "token") {
            let revocation = document.api(named: "org.ietf.oauth2.revoke")?.link
            statements.append("""
                update service set token_endpoint = \(token), revocation_endpoint = coalesce(\(revocation as String?), revocation_endpoint), changed_at = \(now)
                where id = \(target.service)
                    and (token_endpoint <> \(token) or revocation_endpoint is distinct from coalesce(\(revocation as String?), revocation_endpoint))
                """)
        }
        return statements
    }
}
