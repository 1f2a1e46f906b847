import Base
import Database
import Federation
import Foundation

/// The removal policy (docs/operate.md, "What services publish"): what failed for long loses its last document, and is
/// asked for weekly; the service itself is removed by the operator only.
extension CrawlStore {
    /// What one statement takes; who gets as many asks again.
    static let forgottenAtOnce = 100

    /// The pace towards a host goes when it answers, and here where the last service has left it. The lock of its row
    /// is waited for by nobody: who finds it silent again writes it anew.
    func forgetHosts() async throws {
        _ = try await database.execute(
            """
            delete from crawl_host where host in (
                select h.host from crawl_host h
                where not exists (select from service_document d where d.host = h.host)
                order by h.host limit 10000 for update skip locked)
            """)
    }

    /// Deletes the documents of services that have had no good one since `since`. So many at a time; those in flight
    /// have their turn later.
    /// - Returns: ids.
    func forget(goodBefore since: Date, now: Date) async throws -> [String] {
        let detail =
            "no good document since \(since.rfc3339) or longer: the last one was deleted, the service is asked weekly"
        let rows = try await database.query(
            """
            with old as (
                select d.service, d.state, d.protocols, d.document is not null as had from service_document d
                    join service s on s.id = d.service
                where d.state in ('failed', 'gone') and d.forgotten_at is null
                    and coalesce(d.last_ok, s.created_at) <= \(since)
                    and s.status not in ('suspended', 'removed') and (d.claimed_until is null
                        or d.claimed_until <= \(now))
                order by d.service limit \(CrawlStore.forgottenAtOnce) for no key update of s, d skip locked
            ), cleared as (
                update service_document d set document = null, document_text = null, protocol_set = null,
                    protocols = '{}', offered = '{}', warnings = '{}',
                    hash = null, etag = null, last_modified = null, source = null, document_url = null,
                        ttl_s = null, forgotten_at = \(now), changed_at = \(now)
                from old where d.service = old.service
            ), told as (
                insert into document_history (service, at, from_state, to_state, reason, detail, removed)
                select old.service, \(now), old.state, old.state, 'forgotten', \(detail), old.protocols from old
            ), audited as (
                insert into audit (at, actor, action, node, outcome, detail)
                select \(now), 'crawler', 'crawl.forgotten', 'service:' || old.service, 'done',
                    jsonb_build_object('removed', to_jsonb(old.protocols))
                from old where old.had
            ), touched as (
                update service s set changed_at = \(now) from old where s.id = old.service
            )
            select old.service, pg_notify(\(ServiceIndex.channel), old.service)::text as told from old
                order by old.service
            """)
        return try rows.map { try $0("service") }
    }

    /// Services without a good document since `since`, locked for the transaction.
    static func failing(since: Date, in executor: any SQLExecutor) async throws -> [String] {
        let rows = try await executor.query(
            """
            select s.id from service s join service_document d on d.service = s.id
            where d.state in ('failed', 'gone') and coalesce(d.last_ok, s.created_at) <= \(since)
                and s.status not in ('suspended', 'removed')
            order by s.id for no key update of s
            """)
        return try rows.map { try $0("id") }
    }
}
