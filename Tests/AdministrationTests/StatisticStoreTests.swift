import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Administration

@Suite("Figures over time")
struct StatisticStoreTests {
    private func note(
        _ action: String, _ outcome: String, reason: String? = nil, methods: [String]? = nil, _ server: TestServer
    ) async throws {
        let actor = AuditActor(name: "admin:test", origin: nil, reason: reason)
        let detail: JSONObject = methods.map { ["methods": JSONValue(strings: $0)] } ?? [:]
        try await AuditTrail.write(
            AuditEntry(actor: actor, action: action, outcome: outcome, detail: detail), at: server.time.now,
            in: server.database)
    }

    private func values(_ metric: StatisticMetric, _ server: TestServer) async throws -> [String: Double] {
        let now = server.time.now
        let series = try await StatisticStore.read(
            metric, since: now.addingTimeInterval(-3_600), until: now, step: .hour, in: server.database)
        return Dictionary(uniqueKeysWithValues: series.map { ($0.name.label, $0.values.compactMap(\.self).last ?? -1) })
    }

    @Test("logins by method, refusals by reason and revocations are counted once, whether still tallied or not")
    func happened() async throws {
        try await TestServer.with { server in
            let store = StatisticStore(database: server.database, clock: server.time.clock)
            try await store.take()
            server.time.advance(60)
            try await note("login", "done", methods: ["pwd"], server)
            try await note("login", "done", methods: ["pwd"], server)
            try await note("login.again", "done", methods: ["swk", "mfa"], server)
            try await note("revoke", "done", server)
            let refused = AuditEntry(
                actor: AuditActor(name: "a", origin: nil, reason: "password"), action: "login", outcome: "refused")
            for _ in 0..<3 { try await AuditTally.count(refused, at: server.time.now, in: server.database) }
            server.time.advance(240)

            let first = try await store.take(), second = try await store.take()
            try await AuditTally.settle(at: server.time.now, in: server.database)
            server.time.advance(300)
            try await store.take()

            #expect(first && !second)
            #expect(try await values(.logins, server) == ["pwd/done": 2, "mfa+swk/done": 1, "pwd/refused": 3])
            #expect(try await values(.refusals, server) == ["password": 3])
            #expect(try await values(.revocations, server)[""] == 1)
        }
    }

    @Test("what nobody counted is not shown", arguments: ["Infinity", "NaN", "-5", "-1e300", "1e300"])
    func nonsense(_ value: String) async throws {
        try await TestServer.with { server in
            try await note("revoke", "done", server)
            try await StatisticStore(database: server.database, clock: server.time.clock).take()
            _ = try await server.database.execute(
                "update statistic set value = \(value)::float8 where metric <> 'taken'")

            let now = server.time.now
            let series = try await StatisticStore.read(
                nil, since: now.addingTimeInterval(-3_600), until: now + 300, step: .hour, in: server.database)

            #expect(series.allSatisfy { ($0.latest ?? 0) == 0 && $0.trend().count <= 40 })
        }
    }

    @Test("the latest figures of a metric are those of the last span alone")
    func latest() async throws {
        try await TestServer.with { server in
            let store = StatisticStore(database: server.database, clock: server.time.clock)
            #expect(try await StatisticStore.latest(.liveTokens, in: server.database).isEmpty)

            try await store.take()
            server.time.advance(300)
            try await store.take()
            let figures = try await StatisticStore.latest(.liveTokens, in: server.database)

            #expect(figures.map(\.label).sorted() == TokenKind.allCases.map(\.rawValue).sorted())
        }
    }

    @Test("of many reasons the most frequent ones are named, and the others are one")
    func reasons() async throws {
        try await TestServer.with { server in
            let store = StatisticStore(database: server.database, clock: server.time.clock)
            for number in 0..<20 {
                for _ in 0..<(number < 12 ? 2 : 1) {
                    try await note("login", "refused", reason: "reason \(number)", server)
                }
            }
            server.time.advance(300)

            try await store.take()

            let found = try await values(.refusals, server)
            #expect(found.count == 13 && found["other"] == 8 && found["reason 11"] == 2 && found["reason 12"] == nil)
        }
    }

    @Test("tokens that live are counted by kind; what has ended or expired is not")
    func live() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            _ = try await Phone.registered(in: server)
            let store = StatisticStore(database: server.database, clock: server.time.clock)
            try await store.take()
            let both = try await values(.liveTokens, server)["instance_token"]
            server.time.advance(300)

            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.instance, phone.clientID)), by: .server)
            try await store.take()

            let series = try await StatisticStore.read(
                .liveTokens, since: server.time.now.addingTimeInterval(-600), until: server.time.now,
                step: .fiveMinutes, in: server.database
            ).first { $0.name.label == "instance_token" }
            #expect((both ?? 0) >= 2 && series?.latest == both.map { $0 - 1 })
        }
    }

    @Test("a span in which nothing was read is a gap, and the mean of a state is that of the readings")
    func gaps() async throws {
        try await TestServer.with { server in
            let now = StatisticStep.hour.start(of: server.time.now)
            _ = try await server.database.execute(
                """
                insert into statistic (step, bucket, metric, label, value)
                select 300, \(now)::timestamptz - n * interval '5 minutes', m.metric, '', m.value
                from (values (1, 10), (2, 20), (30, 5)) w (n, size)
                    cross join lateral (values ('taken', 1), ('events.behind', w.size), ('logins', w.size))
                        m (metric, value)
                """)

            let hours = try await StatisticStore.read(
                nil, since: now.addingTimeInterval(-3 * 3_600), until: now, step: .hour, in: server.database)

            #expect(hours.first { $0.name.metric == .servicesBehind }?.values == [5, nil, 15])
            #expect(hours.first { $0.name.metric == .logins }?.values == [5, nil, 30])
            #expect(hours.first { $0.name.metric == .logins }?.trend() == "▂ █")
            #expect(!hours.contains { $0.name.metric == .taken })
        }
    }

    @Test("over a year and a half five minutes become hours, hours days, and days go; nothing is counted twice")
    func year() async throws {
        try await TestServer.with { server in
            let store = StatisticStore(database: server.database, clock: server.time.clock)
            // Four readings a day stand for all.
            for _ in 0..<55 {
                _ = try await server.database.execute(
                    """
                    insert into statistic (step, bucket, metric, label, value)
                    select 300,
                        date_bin('5 minutes', \(server.time.now)::timestamptz + n * interval '6 hours', 'epoch'),
                        m.metric, '', 1
                    from generate_series(0, 39) n cross join (values ('taken'), ('logins')) m (metric)
                    """)
                server.time.advance(10 * 86_400)
                for _ in 0..<3 { try await store.tidy() }
            }

            let now = server.time.now
            let rows = try await server.database.query(
                """
                select step::bigint as step, count(*) as n, sum(value)::bigint as total, min(bucket) as oldest
                from statistic
                where metric = 'logins' group by step order by step
                """)
            var kept: [Int: (rows: Int, total: Int, oldest: Date)] = [:]
            for row in rows { kept[try row("step")] = (try row("n"), try row("total"), try row("oldest")) }
            let (minutes, hours, days) = (
                try #require(kept[300]), try #require(kept[3_600]), try #require(kept[86_400])
            )
            #expect(minutes.rows <= 2 * 4 + 4 && hours.rows <= 60 * 4 + 8 && days.rows <= 402)
            #expect(minutes.oldest > now.addingTimeInterval(-2 * 86_400 - 3_600))
            #expect(hours.oldest > now.addingTimeInterval(-61 * 86_400))
            #expect(days.oldest >= now.addingTimeInterval(-401 * 86_400))
            // Four a day for as long as anything is kept, whole days at the old end.
            let total = minutes.total + hours.total + days.total
            let span = now.timeIntervalSince(days.oldest) / 86_400
            #expect(abs(Double(total) - span * 4) <= 4)
        }
    }

    @Test("rows of new partitions count, those of dropped ones do not, and a count that began anew begins at nothing")
    func inserted() {
        #expect(StatisticSources.more(["a": 5], than: [:]) == 0)
        #expect(StatisticSources.more(["a": 9, "b": 3], than: ["a": 5, "gone": 100]) == 7)
        #expect(StatisticSources.more(["a": 2], than: ["a": 5]) == 2)
    }

    @Test("of a large table so many pages are read, of a small one all")
    func shares() {
        #expect(StatisticSources.share(0) == 100 && StatisticSources.share(1_000) == 100)
        #expect(StatisticSources.share(100_000) == 1)
    }

    @Test(
        "spans are as short as they are kept for",
        arguments: [(1, "5m"), (48, "5m"), (7 * 24, "hour"), (90 * 24, "day")])
    func steps(hours: Int, word: String) {
        #expect(StatisticStep.of(age: TimeInterval(hours) * 3_600).word == word)
    }
}
