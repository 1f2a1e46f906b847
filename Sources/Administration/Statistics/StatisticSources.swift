import Base
import Database
import Foundation
import TokenTree

/// Where figures come from: what costs little to read, however much there is. Nothing is counted where it happens.
struct StatisticSources: Sendable {
    /// One figure of a span.
    struct Figure: Equatable {
        let metric: StatisticMetric
        let label: String
        let value: Double
    }

    /// Pages of a table that are read at most, of eight kilobytes.
    static let mostPages = 1_000
    /// Reasons of refusals that have a figure of their own; the others share one.
    static let mostReasons = 12
    /// Lines of the audit trail that the first reading looks through.
    static let firstLines: Int = 100_000

    /// What the next reading needs of this one: a line of the audit trail behind which it begins, and how many rows
    /// each partition has ever had, as PostgreSQL counts them.
    struct Place: Equatable {
        /// Before the span: a line may be committed after a later one, and some of the next span when this one is read.
        var line: Int?
        var newest: Int?
        var inserted: [String: Int] = [:]

        init() {}

        init(_ json: JSONValue) {
            (line, newest) = (json["line"]?.integer, json["newest"]?.integer)
            for (name, value) in json["inserted"]?.object?.members ?? [] { inserted[name] = value.integer }
        }

        var json: JSONValue {
            var counts = JSONObject()
            for (name, count) in inserted.sorted(by: { $0.key < $1.key }) { counts[name] = .integer(count) }
            return [
                "line": line.map { .integer($0) } ?? .null, "newest": newest.map { .integer($0) } ?? .null,
                "inserted": .object(counts),
            ]
        }
    }

    /// Figures of the span from `start` to `end`, which is over, and the place after it.
    func read(
        from start: Date, to end: Date, after place: Place, in transaction: any SQLExecutor
    ) async throws -> (figures: [Figure], place: Place) {
        var next = Place()
        next.inserted = try await inserted(in: transaction)
        var figures = try await live(at: end, in: transaction)
        figures.append(
            Figure(
                metric: .issued, label: "", value: Double(Self.more(next.inserted, than: place.inserted))))
        figures += try await deliveries(at: end, in: transaction)
        figures += try await documents(in: transaction)
        let newest: Int =
            try await transaction.query("select coalesce(max(id), 0) as id from audit").first.map { try $0("id") } ?? 0
        (next.line, next.newest) = (place.newest, newest)
        figures += try await happened(
            from: start, to: end, after: place.line ?? max(0, newest - Self.firstLines), in: transaction)
        return (figures, next)
    }

    /// Rows that were added since: of a partition that is new, all; one whose count is lower was counted anew.
    static func more(_ now: [String: Int], than before: [String: Int]) -> Int {
        // The first reading has nothing to compare with.
        guard !before.isEmpty else { return 0 }
        return now.reduce(0) { sum, partition in
            let known = before[partition.key] ?? 0
            return sum + (partition.value >= known ? partition.value - known : partition.value)
        }
    }

    private func inserted(in executor: any SQLExecutor) async throws -> [String: Int] {
        let rows = try await executor.query(
            """
            select c.relname::text as name, coalesce(pg_stat_get_tuples_inserted(c.oid), 0) as n
            from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'token'::regclass
            """)
        return Dictionary(try rows.map { (try $0("name"), try $0("n")) }, uniquingKeysWith: { one, _ in one })
    }

    // MARK: Tokens

    /// Tokens that live, by kind: of a large table so many pages, chosen at random, stand for all.
    private func live(at time: Date, in executor: any SQLExecutor) async throws -> [Figure] {
        let pages = try await executor.query(
            """
            select coalesce((select sum(pg_relation_size(i.inhrelid)) from pg_inherits i
                where i.inhparent = 'token'::regclass), 0)::bigint / 8192 as tokens,
                pg_relation_size('family'::regclass) / 8192 as families
            """)
        let tokens = Self.share(try pages.first.map { try $0("tokens") } ?? 0),
            families = Self.share(try pages.first.map { try $0("families") } ?? 0)
        let living: SQL = "not exists (select from revocation r where r.node = any (t.lineage))"
        let results = try await executor.batch([
            """
            select t.kind, count(*) as n from token t tablesample system (\(tokens))
            where t.expires_at > \(time) and \(living) group by t.kind
            """,
            """
            select t.kind, count(*) as n from family t tablesample system (\(families))
            where (t.idle_until is null or t.idle_until > \(time)) and \(living) group by t.kind
            """,
        ])
        return try Self.figures(.liveTokens, TokenKind.allCases.map(\.rawValue), results[0], share: tokens)
            + Self.figures(
                .refreshable, TokenKind.allCases.filter { $0 != .code && $0 != .assertion }.map(\.rawValue),
                results[1], share: families)
    }

    /// In hundredths.
    static func share(_ pages: Int) -> Double {
        pages <= mostPages ? 100 : 100 * Double(mostPages) / Double(pages)
    }

    /// Each kind has a figure, so that nothing is told from not counted.
    private static func figures(
        _ metric: StatisticMetric, _ labels: [String], _ rows: [Row], share: Double
    ) throws -> [Figure] {
        let found = Dictionary(
            try rows.map { (try $0("kind", as: String.self), try $0("n", as: Int.self)) }, uniquingKeysWith: +)
        return labels.map {
            Figure(metric: metric, label: $0, value: (Double(found[$0] ?? 0) * 100 / share).rounded())
        }
    }

    // MARK: Events and documents

    private func deliveries(at time: Date, in executor: any SQLExecutor) async throws -> [Figure] {
        let row = try await executor.query(
            """
            select
                (select count(*) from delivery d where d.acknowledged < d.last) as behind,
                (select coalesce(sum(d.last - d.acknowledged), 0)::bigint from delivery d
                    where d.acknowledged < d.last) as waiting,
                (select count(*) from outbox o where o.error is not null) as dead,
                (select min(o.created_at) from (select d.service from delivery d where d.acknowledged < d.last
                        order by d.next_try limit 500) d
                    cross join lateral (select o.created_at from outbox o
                        where o.service = d.service and o.settled_at is null order by o.seq limit 1) o) as oldest
            """
        ).first
        guard let row else { return [] }
        let oldest: Date? = try row("oldest")
        func figure(_ metric: StatisticMetric, _ name: String) throws -> Figure {
            Figure(metric: metric, label: "", value: Double(try row(name, as: Int.self)))
        }
        return [
            try figure(.servicesBehind, "behind"), try figure(.eventsWaiting, "waiting"),
            try figure(.eventsDead, "dead"),
            Figure(
                metric: .eventLag, label: "", value: oldest.map { max(0, time.timeIntervalSince($0)).rounded() } ?? 0),
        ]
    }

    /// What the crawler last made of the services' documents, by state.
    private func documents(in executor: any SQLExecutor) async throws -> [Figure] {
        try await executor.query(
            """
            select d.state, count(*) as n from service_document d join service s on s.id = d.service
            where s.status <> 'removed' group by d.state order by d.state
            """
        ).map { Figure(metric: .documents, label: try $0("state"), value: Double(try $0("n", as: Int.self))) }
    }

    // MARK: The audit trail

    /// Logins by method and outcome, refusals by reason, revocations: lines of the span, and what is still counted.
    private func happened(
        from start: Date, to end: Date, after line: Int, in executor: any SQLExecutor
    ) async throws -> [Figure] {
        let rows = try await executor.query(
            """
            with line as (
                select l.action, l.outcome, l.reason, l.detail,
                    case when jsonb_typeof(l.detail -> 'count') = 'number' then (l.detail ->> 'count')::numeric::bigint
                        else 1 end as n
                from audit l where l.id > \(line) and l.at >= \(start) and l.at < \(end)
                union all
                select t.action, t.outcome, nullif(t.reason, ''), '{}'::jsonb, t.count
                from audit_tally t where t.minute >= \(start) and t.minute < \(end)
            ), login as (
                select case when jsonb_typeof(l.detail -> 'methods') = 'array'
                        then (select string_agg(m, '+' order by m)
                            from jsonb_array_elements_text(l.detail -> 'methods') m)
                        when l.action like '%.login' then split_part(l.action, '.', 1)
                        else coalesce(l.detail ->> 'factor', 'pwd') end as method, l.outcome, l.n
                from line l where l.action in ('login', 'login.again', 'login.app') or l.action like '%.login'
            ), reason as (
                select left(coalesce(l.reason, l.action), 100) as word, sum(l.n)::bigint as n,
                    row_number() over (order by sum(l.n) desc, left(coalesce(l.reason, l.action), 100)) as place
                from line l where l.outcome = 'refused' group by 1
            )
            select 'logins' as metric, left(coalesce(l.method, ''), 100) || '/' || left(l.outcome, 60) as label,
                sum(l.n)::bigint as n from login l group by 2
            union all
            select 'refusals', case when r.place <= \(Self.mostReasons) then r.word else 'other' end, sum(r.n)::bigint
            from reason r group by 2
            union all
            select 'revocations', '', coalesce(sum(l.n), 0)::bigint from line l where l.action = 'revoke'
            """)
        return try rows.compactMap { row in
            guard let metric = StatisticMetric(rawValue: try row("metric")) else { return nil }
            return Figure(metric: metric, label: try row("label"), value: Double(try row("n", as: Int.self)))
        }
    }
}
