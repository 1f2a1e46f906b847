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
    private let dead = Gauge(label: "pando_events_dead")
    private let behind = Gauge(label: "pando_events_services_behind")

    private struct Gauges: Sendable {
        let lag: Gauge
        let waiting: Gauge

        init(_ service: String) {
            lag = Gauge(label: "pando_events_lag_seconds", dimensions: [("service", service)])
            waiting = Gauge(label: "pando_events_waiting", dimensions: [("service", service)])
        }
    }

    public init(database: Database, clock: WallClock) { (self.database, self.clock) = (database, clock) }

    /// Every quarter of a minute, until cancelled.
    public func run() async {
        while !Task.isCancelled {
            try? await refresh()
            try? await Task.sleep(for: .seconds(15))
        }
    }

    public func refresh() async throws {
        let now = clock.now()
        let results = try await database.batch([
            """
            with late as (
                select d.service, o.created_at from delivery d
                join service s on s.id = d.service
                cross join lateral (
                    select o.created_at from outbox o where o.service = d.service and o.settled_at is null
                    order by o.seq limit 1
                ) o
                where d.acknowledged < d.last order by o.created_at, d.service limit \(EventMetrics.most)
            )
            select l.service, l.created_at, (select count(*) from (
                select from outbox o where o.service = l.service and o.settled_at is null
                limit \(EventMetrics.mostCounted)) c) as waiting
            from late l
            """,
            "select count(*) as n from delivery d where d.acknowledged < d.last",
            "select count(*) as n from outbox o where o.error is not null",
        ])
        var seen: [String: (lag: TimeInterval, waiting: Int)] = [:]
        for row in results[0] {
            let since: Date = try row("created_at")
            seen[try row("service")] = (max(0, now.timeIntervalSince(since)), try row("waiting"))
        }
        behind.record(try results[1].first.map { try $0("n", as: Int.self) } ?? 0)
        dead.record(try results[2].first.map { try $0("n", as: Int.self) } ?? 0)
        services.withLock { services in
            for (name, gauges) in services where seen[name] == nil {
                gauges.lag.destroy()
                gauges.waiting.destroy()
                services[name] = nil
            }
            for (name, values) in seen {
                let gauges = services[name] ?? Gauges(name)
                services[name] = gauges
                gauges.lag.record(values.lag)
                gauges.waiting.record(values.waiting)
            }
        }
    }
}
