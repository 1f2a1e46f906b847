import Database
import Metrics
import TestSupport
import Testing
import TokenTree

@testable import Server

/// That the figures move which alerts are made of, and when; that an alert fires then is in
/// deploy/monitoring/rules_test.yml.
@Suite("figures that carry alerts", .timeLimit(.minutes(30)))
struct AlertedFiguresTests {
    private let registry = PrometheusRegistry()

    /// As the page has it; `nil` where it has no such series.
    private func figure(_ series: String) -> Double? {
        let start = series + " "
        return registry.page.split(separator: "\n").first { $0.hasPrefix(start) }
            .flatMap { Double($0.dropFirst(start.count)) }
    }

    /// The suite's limit is for what never comes.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("what memory had and no lease held for is counted, and nothing more once there is a lease")
    func fallbacks() async throws {
        let name = "pando_lease_fallbacks_total"
        try await withMetricsFactory(registry) {
            try await TestTree.with { tree in
                let leases = tree.store.leases, token = try await tree.instance()
                // It follows what changes, and cannot say up to where it knows it: so no renewal is ever whole.
                _ = try await tree.database.query("select record_change(null, 'client:test')")
                try await tree.database.execute(
                    "create function refuse() returns trigger language plpgsql as 'begin raise ''not now''; end'")
                try await tree.database.execute(
                    "create trigger refused before update on replica for each row execute function refuse()")
                try await withThrowingTaskGroup { group in
                    group.addTask { await leases.run(on: tree.database) }
                    try await until { leases.known != nil }
                    #expect(try await tree.isLive(token))
                    #expect(figure(name) == 0)

                    #expect(leases.recall(token.row.id) == nil)
                    #expect(figure(name) == 1)

                    try await tree.database.execute("drop trigger refused on replica")
                    // A machine that tests is busy, and a lease may be over in between.
                    try await until {
                        let counted = figure(name)
                        return leases.recall(token.row.id) != nil && figure(name) == counted
                    }
                    group.cancelAll()
                }
            }
        }
    }

    @Test("who waits for a connection is counted, and nobody who gets one at once")
    func waits() async throws {
        let name = "pando_db_wait_duration_seconds"
        try await withMetricsFactory(registry) {
            try await TestDatabase.with(connections: 1) { test in
                let database = test.database
                // For whom it is opened waits, too.
                try await database.execute("select 1")
                let opened = try #require(figure(name + "_count"))
                try await database.execute("select 1")
                #expect(figure(name + "_count") == opened)

                let (before, other) = try await database.transaction { _ in
                    let before = figure(name + "_count"), other = Task { try await database.execute("select 1") }
                    try await until { database.use.waiting == 1 }
                    return (before, other)
                }
                _ = try await other.value

                #expect(figure(name + "_count") == before.map { $0 + 1 })
                #expect(figure(name + #"_bucket{le="+Inf"}"#) == before.map { $0 + 1 })
            }
        }
    }

    @Test("a refresh that proves that the database went back is counted, and none that proves nothing")
    func setbacks() async throws {
        let name = "pando_database_setbacks_total"
        try await withMetricsFactory(registry) {
            try await TestTree.with { tree in
                let pat = try await tree.child(of: tree.instance(), refresh: .init())
                guard case .child(let newest) = try await tree.rotate(pat.refreshToken) else {
                    Issue.record("it was not rotated")
                    return
                }
                #expect(figure(name) == 0)
                // As a standby has it that lacks the last commit.
                try await tree.database.execute(
                    "update family set sequence = sequence - 1 where id = \(pat.row.family)")

                guard case .child = try await tree.rotate(newest.refreshToken) else {
                    Issue.record("it was refused")
                    return
                }

                #expect(figure(name) == 1)
            }
        }
    }
}
