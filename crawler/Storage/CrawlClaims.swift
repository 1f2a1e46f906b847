import Base
import Database
import Foundation

/// Who crawls what: claims, over all workers of all processes (design/crawler.md, "Schedule"). A claim is a time in the
/// row; whoever is killed lets it run out.
extension CrawlStore {
    /// Services of one host in flight at a time, over all workers: a host that is slow or dead fills no worker's
    /// places.
    static let perHost = 2
    /// Claims are made one after the other, so that all see what the others hold. They take milliseconds.
    private static let claimLock: Int64 = 0x70616e646f_63

    /// Services whose crawl is due, the longest overdue first, each claimed by this worker for the time of a lease.
    func claimDue(limit: Int, now: Date) async throws -> [CrawlTarget] {
        let until = now.addingTimeInterval(CrawlSchedule.lease)
        return try await database.transaction { tx in
            // A statement of its own: the next one's snapshot must be younger than the lock.
            _ = try await tx.query("select pg_advisory_xact_lock(\(CrawlStore.claimLock))")
            let rows = try await tx.query(
                """
                with busy as materialized (
                    select b.host, count(*) as held from service_document b where b.claimed_until > \(now)
                        group by b.host
                ), due as materialized (
                    select d.service, d.host, d.next_try from service_document d join service s on s.id = d.service
                    where d.next_try <= \(now) and (d.claimed_until is null or d.claimed_until <= \(now))
                        and s.status not in ('suspended', 'removed')
                        and not exists (select from crawl_host h where h.host = d.host and h.not_before > \(now))
                        and not exists (select from busy where busy.host = d.host
                            and busy.held >= \(CrawlStore.perHost))
                    order by d.next_try limit \(limit * 4) for update of d skip locked
                ), ranked as (
                    select due.service, due.next_try, coalesce(busy.held,
                        0) + row_number() over (partition by due.host order by due.next_try, due.service) as place
                    from due left join busy on busy.host = due.host
                ), chosen as (
                    select r.service from ranked r where r.place <= \(CrawlStore.perHost) order by r.next_try
                        limit \(limit)
                )
                update service_document d set claimed_until = \(until)
                from chosen, service s where d.service = chosen.service and s.id = d.service
                returning \(CrawlTarget.columns)
                """)
            return try rows.map { try CrawlTarget($0) }
        }
    }

    /// When there will be something to claim, for whom has just found nothing; `nil` for never, as far as is known now.
    /// A claim that ends is one, in case that its worker was killed. At once where only the places of a host are full.
    func nextDue(now: Date) async throws -> Date? {
        let open: SQL = "join service s on s.id = d.service and s.status not in ('suspended', 'removed')"
        let rows = try await database.query(
            """
            select least((
                select min(greatest(h.not_before, \(now))) from service_document d \(open)
                left join crawl_host h on h.host = d.host
                where d.next_try <= \(now) and (d.claimed_until is null or d.claimed_until <= \(now))
            ), (
                select d.next_try from service_document d \(open) where d.next_try > \(now)
                order by d.next_try limit 1
            ), (
                select min(d.claimed_until) from service_document d where d.claimed_until > \(now)
            )) as due
            """)
        return try rows.first.flatMap { try $0("due") }
    }

    /// One service, if it is due and nobody has it.
    func claim(_ service: String, ifDueAt now: Date) async throws -> CrawlTarget? {
        try await claiming.commit(CrawlClaim(service: service, ifDue: true, now: now))
    }

    /// One service whatever its schedule says. A claim keeps the workers away meanwhile. `nil` when there is no such
    /// service.
    func target(_ service: String, claiming claims: Bool, now: Date) async throws -> CrawlTarget? {
        guard !claims else {
            return try await claiming.commit(CrawlClaim(service: service, ifDue: false, now: now))
        }
        let rows = try await database.query(
            """
            select \(CrawlTarget.columns) from service s join service_document d on d.service = s.id
                where s.id = \(service)
            """
        )
        return try rows.first.map { try CrawlTarget($0) }
    }

    /// All that may be crawled, by id.
    func services(dueOnly: Bool, now: Date) async throws -> [String] {
        let due: SQL =
            dueOnly ? "and d.next_try <= \(now) and (d.claimed_until is null or d.claimed_until <= \(now))" : ""
        let rows = try await database.query(
            """
            select d.service from service_document d join service s on s.id = d.service
            where s.status not in ('suspended', 'removed') \(due) order by d.service
            """)
        return try rows.map { try $0("service") }
    }
}

/// What a crawl tells of the host that it began at.
enum HostNews: Sendable, Equatable {
    /// It answered something, be it a refusal.
    case answers
    /// Every request to it found nobody, or waited in vain.
    case silent
}

extension CrawlSchedule {
    /// Services of a silent host wait together: 60 s × 2ⁿ⁻², an hour at most.
    static let longestHostPause: TimeInterval = 3_600
}

extension CrawlStore {
    /// Within the transaction that saves `target`. One service alone never makes others wait: only when a second one
    /// finds nobody, and no third was answered in between, the free services of the host are put off together, each by
    /// a random part more. Rows that others hold are passed over.
    static func tell(_ news: HostNews, of target: CrawlTarget, started: Date, now: Date) -> [SQL] {
        guard !target.host.isEmpty else { return [] }
        switch news {
        case .answers: return [forget(hosts: [target.host])]
        case .silent:
            let pause: SQL =
                "least(60 * 2 ^ least(n.failures - 2, 20), \(CrawlSchedule.longestHostPause)) * interval '1 second'"
            return [
                """
                insert into crawl_host as h (host, failures, last_failed) values (\(target.host), 1, \(target.service))
                on conflict (host) do update set
                    failures = h.failures + case when h.failures >= 2
                        or h.last_failed <> excluded.last_failed then 1 else 0 end, last_failed = excluded.last_failed
                where h.not_before is null or h.not_before <= \(started)
                """,
                """
                update crawl_host n set not_before = \(now)::timestamptz + \(pause)
                where n.host = \(target.host) and n.failures >= 2 and (n.not_before is null
                    or n.not_before <= \(started))
                """,
                """
                with waiting as (
                    select d.service, n.not_before, \(pause) as pause from crawl_host n
                        join service_document d on d.host = n.host
                    where n.host = \(target.host) and n.not_before > \(now) and d.next_try < n.not_before
                        and d.service <> \(target.service)
                        and (d.claimed_until is null or d.claimed_until <= \(now))
                    for update of d skip locked
                )
                update service_document d set next_try = waiting.not_before + random() * waiting.pause from waiting
                    where d.service = waiting.service
                """,
            ]
        }
    }

    /// Hosts that answer. Most have no row, so that nothing is locked.
    static func forget(hosts: [String]) -> SQL {
        """
        delete from crawl_host where host in (select h.host from crawl_host h where h.host = any(\(hosts))
            order by h.host for update)
        """
    }
}
