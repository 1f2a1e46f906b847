import Base
import Database
import Federation
import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("metrics of events")
struct EventMetricsTests {
    @Test("how far a service is behind stands on the page while it is, and dead letters are counted")
    func behind() async throws {
        try await TestServer.with { server in
            let registry = PrometheusRegistry()
            let metrics = EventMetrics(database: server.database, clock: server.time.clock, factory: registry)
            try await PollingService.tell(server, times: 2)
            server.time.advance(30)

            try await metrics.refresh()
            let late = registry.page
            try await server.sendEvents()
            try await metrics.refresh()
            let done = registry.page

            #expect(late.contains(#"pando_events_lag_seconds{service="learn"} 30.0"#))
            #expect(late.contains(#"pando_events_waiting{service="learn"} 2.0"#))
            #expect(late.contains("pando_events_services_behind 1.0") && late.contains("pando_events_dead 0.0"))
            #expect(!done.contains("learn") && done.contains("pando_events_services_behind 0.0"))
        }
    }

    @Test("no more than fifty services are measured by name, those that wait longest")
    func bounded() async throws {
        try await TestServer.with { server in
            let registry = PrometheusRegistry(), now = server.time.now
            let metrics = EventMetrics(database: server.database, clock: server.time.clock, factory: registry)
            _ = try await server.database.batch([
                """
                insert into service select (jsonb_populate_record(s, jsonb_build_object(
                    'id', 'more' || g, 'base', s.base || '/more' || g))).*
                from service s cross join generate_series(1, 60) g where s.id = 'learn'
                """,
                """
                insert into outbox (service, seq, jti, event, body, created_at)
                select 'more' || g, 1, 'jti' || g, 'ended', '{}', \(now)::timestamptz - g * interval '1 second'
                from generate_series(1, 60) g
                """,
                "insert into delivery (service, last) select 'more' || g, 1 from generate_series(1, 60) g",
            ])

            try await metrics.refresh()

            let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_events_lag_seconds{") }
            #expect(lines.count == 50)
            #expect(lines.contains { $0.contains(#"service="more60""#) })
            #expect(!lines.contains { $0.contains(#"service="more10""#) })
            #expect(registry.page.contains("pando_events_services_behind 60.0"))
            #expect(registry.page.contains(#"pando_events_waiting{service="_other"} 10.0"#))
            #expect(registry.page.contains(#"pando_events_failures{service="more60"} 0.0"#))
        }
    }
}
