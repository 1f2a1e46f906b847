import Base
import Database
import Federation
import Foundation
import Vocabulary

/// The rows of `service_document`, and of `service` as far as a document speaks of it.
struct CrawlStore: Sendable {
    let database: Database

    /// Writes a verdict, in one transaction with everything that follows from it. A later crawl's verdict is not
    /// overwritten, and a service that was suspended, or moved elsewhere, meanwhile is left alone.
    /// - Returns: whether it was written.
    @discardableResult
    func save(
        _ verdict: CrawlVerdict, of target: CrawlTarget, started: Date, news: HostNews? = nil, now: Date
    ) async throws -> Bool {
        try await database.transaction { tx in
            let open = try await tx.query(
                """
                select d.state, d.reason, s.token_endpoint, s.revocation_endpoint from service s
                    join service_document d on d.service = s.id
                where s.id = \(target.service) and s.status not in ('suspended', 'removed') and s.base = \(target.base)
                    and s.rsd is not distinct from \(target.rsd as String?) and (d.last_try is null
                        or d.last_try <= \(started))
                for no key update of s, d
                """)
            guard let before = open.first else {
                _ = try await tx.execute(
                    """
                    update service_document set claimed_until = null where service = \(target.service)
                        and claimed_until = \(target.claimedUntil as Date?)
                    """)
                return false
            }
            let state: String = try before("state"), reason: String? = try before("reason")
            let move = EndpointMove(
                token: try before("token_endpoint"), revocation: try before("revocation_endpoint"),
                to: verdict.endpoints)
            var statements = [row(verdict, target, started: started, now: now)]
            if let document = verdict.document {
                statements += ServiceListing.put(
                    document.json, protocols: verdict.protocols, of: target.service, at: now)
            }
            if verdict.document != nil || move != nil {
                statements.append(CrawlStore.audit(verdict, move, target, now: now))
            }
            if let move {
                statements.append(move.statement(for: target.service, at: now))
                if verdict.document == nil {
                    statements.append("select pg_notify(\(ServiceIndex.channel), \(target.service))")
                }
            }
            if state != verdict.state.rawValue {
                statements.append(ServiceListing.touch(target.service, at: now))
                let wasShown = CrawlState(rawValue: state)?.isDiscoverable == true
                if verdict.document == nil, wasShown != verdict.state.isDiscoverable {
                    statements.append("select pg_notify(\(ServiceIndex.channel), \(target.service))")
                }
            }
            if verdict.document != nil || move != nil || state != verdict.state.rawValue
                || reason != verdict.failure?.reason.rawValue
            {
                statements += CrawlHistory.write(verdict, of: target, from: state, moved: move?.text, at: now)
            }
            if let news { statements += CrawlStore.tell(news, of: target, started: started, now: now) }
            _ = try await tx.batch(statements)
            return true
        }
    }

    private func row(_ verdict: CrawlVerdict, _ target: CrawlTarget, started: Date, now: Date) -> SQL {
        let lastOK = verdict.failure == nil ? started : target.lastOK
        let lastSearch = verdict.searched ? now : target.lastSearch
        let forgottenAt = verdict.failure == nil ? nil : target.forgottenAt
        return """
            update service_document set state = \(verdict.state.rawValue),
                reason = \(verdict.failure?.reason.rawValue as String?),
                detail = \(verdict.failure?.detail as String?), warnings = \(verdict.warnings),
                    source = \(verdict.source?.rawValue as String?),
                document_url = \(verdict.documentURL as String?), http_status = \(verdict.httpStatus as Int?),
                    hash = \(verdict.hash as [UInt8]?),
                etag = \(verdict.validators.etag as String?), last_modified =
                    \(verdict.validators.lastModified as String?),
                ttl_s = \(verdict.ttl as Int?), last_try = \(started), last_ok = \(lastOK as Date?),
                    last_search = \(lastSearch as Date?),
                next_try = \(verdict.nextTry), failures = \(verdict.failures), forgotten_at = \(forgottenAt as Date?),
                claimed_until = case when claimed_until = \(target.claimedUntil as Date?) then null
                    else claimed_until end
            where service = \(target.service)
            """
    }

    private static func audit(_ verdict: CrawlVerdict, _ move: EndpointMove?, _ target: CrawlTarget, now: Date) -> SQL {
        var detail: JSONObject = [
            "added": JSONValue(strings: verdict.added), "removed": JSONValue(strings: verdict.removed),
        ]
        for (name, change) in move?.changes ?? [] {
            detail[name] = ["from": JSONValue(change.from), "to": JSONValue(change.to)]
        }
        return """
            insert into audit (at, actor, action, node, outcome, detail)
            values (\(now), 'crawler', 'crawl.changed', \("service:" + target.service), 'done',
                \(JSONValue.object(detail)))
            """
    }
}
