import Base
import Database
import Foundation
import Metrics
import Synchronization

/// How far behind services are, for `/metrics`: of the fifty that wait longest, so that what is measured stays bounded
/// however many there are.
public final class EventMetrics: Sendable {
    static let most = 50
    /// Events of one service are counted up to here.
    static let mostCounted = 10_000

    private let database: Database
    private let clock: WallClock
    private let services = Mutex<[String: Gauges]>([:])
    private let factory: any MetricsFactory
    private let dead: Gauge
    private let behind: Gauge
    /// Events of those that are not measured by name, up to the last one that each of them has taken.
    private let others: Gauge

    private struct Gauges: Sendable {
        let lag: Gauge
        let waiting: Gauge
        let failures: Gauge

        init(_ service: String, _ factory: any MetricsFactory) {
            lag = Gauge(label: "pando_events_lag_seconds", dimensions: [("service", service)], factory: factory)
            waiting = Gauge(label: "pando_events_waiting", dimensions: [("service", service)], factory: factory)
            failures = Gauge(label: "pando_events_failures", dimensions: [("service", service)], factory: factory)
        }

        func destroy() {
            for gauge in [lag, waiting, failures] { gauge.destroy() }
        }
    }

    /// `factory`: where it is measured.
    public init(database: Database, clock: WallClock, factory: any MetricsFactory = MetricsSystem.factory) {
        (self.database, self.clock, self.factory) = (database, clock, factory)
        dead = Gauge(label: "pando_events_dead", factory: factory)
        behind = Gauge(label: "pando_events_services_behind", factory: factory)
        // No service has such a name.
        others = Gauge(label: "pando_events_waiting", dimensions: [("service", "_other")], factory: factory)
    }

    /// For who reads the page now: where nobody does, nothing is asked of the database.
    public func refresh() async throws {
        let now = clock.now()
        let results = try await database.batch([
            """
            with late as (
                select d.service, d.failures, o.created_at from delivery d
                join service s on s.id = d.service
                cross join lateral (
                    select o.created_at from outbox o where o.service = d.service and o.settled_at is null
                    order by o.seq limit 1
                ) o
                where d.acknowledged < d.last order by o.created_at, d.service limit \(EventMetrics.most)
            )
            select l.service, l.failures, l.created_at, (select count(*) from (
                select from outbox o where o.service = l.service and o.settled_at is null
                limit \(EventMetrics.mostCounted)) c) as waiting
            from late l
            """,
            """
            select count(*) as n, coalesce(sum(d.last - d.acknowledged), 0)::bigint as waiting from delivery d
            where d.acknowledged < d.last
            """,
            "select count(*) as n from outbox o where o.error is not null",
        ])
        var seen: [String: (lag: TimeInterval, waiting: Int, failures: Int)] = [:]
        for row in results[0] {
            let since: Date = try row("created_at")
            let lag = max(0, now.timeIntervalSince(since))
            seen[try row("service")] = (lag, try row("waiting"), try row("failures"))
        }
        behind.record(try results[1].first.map { try $0("n", as: Int.self) } ?? 0)
        let all: Int = try results[1].first.map { try $0("waiting") } ?? 0
        others.record(max(0, all - seen.values.reduce(0) { $0 + $1.waiting }))
        dead.record(try results[2].first.map { try $0("n", as: Int.self) } ?? 0)
        services.withLock { services in
            for (name, gauges) in services where seen[name] == nil {
                gauges.destroy()
                services[name] = nil
            }
            for (name, values) in seen {
                let gauges = services[name] ?? Gauges(name, factory)
                services[name] = gauges
                gauges.lag.record(values.lag)
                gauges.waiting.record(values.waiting)
                gauges.failures.record(values.failures)
            }
        }
    }
}
