import Base
import Database
import Foundation
import Testing

@testable import Crawler

@Suite("Health, its history, and what a service's operator is told", .timeLimit(.minutes(30)))
struct CrawlHealthTests {
    @Test("the same bytes cost no parse, and keep state and warnings")
    func unchanged() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": .ok(Documents.rsd1(Documents.weblog) + "garbage", type: "application/rsd+xml")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let first = try await server.crawl("a")
            server.clock.pass(60)
            let second = try await server.crawl("a"), row = try await server.row("a")

            #expect(first.effort.parses == 1 && first.state == .degraded)
            #expect(second.effort.parses == 0 && second.effort.requests == 1 && second.effort.bytes > 0)
            #expect(
                second.outcome == .unchanged && second.httpStatus == 200 && second.state == .degraded
                    && second.warnings == ["trailing_bytes", "hidden_from_apps"])
            #expect(
                row["state"] == "degraded" && row["warnings"] == ["trailing_bytes"]
                    && row["notices"] == ["hidden_from_apps"]
                    && row["hash"] != .null)
        }
    }

    @Test("history has a row when state, reason or document changes, not one for each crawl")
    func history() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2", "a.b")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            let pages: [Site.Reply] = [
                Pages.document("org.ietf.oauth2", "a.b"), Pages.document("org.ietf.oauth2", "a.b"), .status(503),
                .status(500), .ok("{"),
                Pages.document("org.ietf.oauth2", "c.d"),
            ]
            for page in pages {
                site.set("/", page)
                _ = try await server.crawl("a")
                server.clock.pass(60)
            }

            let rows = try await server.crawler().history("a", after: nil, limit: 10)

            #expect(rows.map { $0["to"]?.string } == ["ok", "stale", "stale", "ok"])
            #expect(rows.map { $0["from"]?.string } == ["stale", "stale", "ok", "pending"])
            #expect(rows.map { $0["reason"]?.string } == [nil, "malformed", "http_status", nil])
            #expect(
                rows.first?["added"] == ["c.d"] && rows.first?["removed"] == ["a.b"]
                    && rows.last?["added"] == ["a.b", "org.ietf.oauth2"])
            #expect(
                rows.first?["hash"]?.string?.count == 64 && rows.first?["document_url"]?.string == site.origin + "/"
                    && rows.first?["source"] == "base")
            let seq = try #require(rows[1]["seq"]?.string.flatMap { Int64($0) })
            let older = try await server.crawler().history("a", after: seq, limit: 1)
            #expect(older.map { $0["reason"]?.string } == ["http_status"])
        }
    }

    @Test("the last 100 changes of a service are kept, and nobody else's go")
    func bounded() async throws {
        try await CrawlDatabase.with { server in
            for id in ["a", "b"] {
                try await server.add(id, base: "https://\(id).example/")
                _ = try await server.database.execute(
                    """
                    insert into document_history (service, at, from_state, to_state) select \(id),
                        \(server.clock.wall.now()), 'ok', 'stale' from generate_series(1, 105)
                    """)
            }

            _ = try await server.database.execute(CrawlHistory.forgetOld(["a"]))

            #expect(try await server.value("select count(*) from document_history where service = 'a'") == 100)
            #expect(try await server.value("select count(*) from document_history where service = 'b'") == 105)
            let newest = try await server.crawler().history("a", after: nil, limit: 1).first
            let last: Int64 = try await server.value("select max(seq) from document_history where service = 'a'")
            #expect(newest?["seq"]?.string == String(last))
        }
    }

    @Test("rows by state, and counts of states with the longest wait")
    func states() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/a/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            for (id, status) in [("a", "active"), ("b", "active"), ("c", "active"), ("s", "suspended")] {
                try await server.add(id, base: site.origin + "/\(id)/", status: status)
            }
            for id in ["a", "b"] { _ = try await server.crawl(id) }
            server.clock.pass(30)
            func ids(_ state: CrawlState) async throws -> [String?] {
                try await server.crawler().status(services: [], state: state, after: nil, limit: 10).map {
                    $0["service"]?.string
                }
            }

            let (ok, failed, pending, suspended) = (
                try await ids(.ok), try await ids(.failed), try await ids(.pending), try await ids(.suspended)
            )
            let counts = try await CrawlStore(database: server.database).counts(now: server.clock.wall.now())

            #expect(ok == ["a"] && failed == ["b"] && pending == ["c"] && suspended == ["s"])
            #expect(counts.states == [.ok: 1, .failed: 1, .pending: 1, .suspended: 1])
            #expect(counts.overdue == 30)
        }
    }

    @Test("a dry run tells each request, the document as discovery would give it, and what to do; it writes nothing")
    func dryRun() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/": Pages.home("/login"), "/login": .ok("<!doctype html>log in"),
                "/rsd.json": Pages.document("org.ietf.oauth2"),
            ])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            try await server.add("b", base: "http://10.0.0.1/")
            let before = try await server.row("a")

            let good = try await server.crawl("a", dryRun: true), bad = try await server.crawl("b", dryRun: true)

            #expect(
                good.trail.map(\.url)
                    == ["/", "/login", "/services.txt", "/service.txt", "/rsd", "/rsd.json"].map { site.origin + $0 })
            #expect(good.trail.map(\.source) == [.base, .html, .servicesText, .servicesText, .fallback, .fallback])
            #expect(good.trail.map(\.status) == [200, 200, 404, 404, 404, 200])
            #expect(good.trail.map(\.reason) == [nil, .notRSD, nil, nil, nil, nil])
            #expect(
                good.json["document"]?["apis"]?["org.ietf.oauth2"]?["apiLink"]?.string == site.origin + "/oauth2/"
                    && good.json["advice"] == [])
            #expect(good.json["trail"]?.array?.count == 6)
            #expect(
                bad.json["document"] == .null && bad.advice == [CrawlReason.address.advice]
                    && bad.trail.map(\.reason) == [.address])
            #expect(try await server.row("a") == before)
            #expect(try await server.value("select count(*) from document_history") == 0)
            #expect(
                try await server.value("select count(*) from service_document where claimed_until is not null") == 0)
        }
    }

    @Test("every reason and every warning has one sentence of its own on what to do")
    func advice() {
        let sentences = CrawlReason.allCases.map(\.advice) + CrawlWarning.allCases.map(\.advice)

        #expect(Set(sentences).count == sentences.count)
        #expect(sentences.allSatisfy { $0.hasSuffix(".") && $0.contains(":") && !$0.contains("\n") })
    }
}

@Suite("The removal policy", .timeLimit(.minutes(30)))
struct CrawlRemovalTests {
    private static let days: TimeInterval = 86_400

    @Test(
        """
        a document that failed for 90 days is deleted with its names; the service stays, is asked weekly, and may \
        come back
        """
    )
    func forgotten() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            site.set("/", .status(503))
            server.clock.pass(89 * Self.days)
            _ = try await server.crawl("a")
            try await server.crawler().tidy()
            #expect(try await server.crawler().show("a") != nil, "not yet")

            server.clock.pass(2 * Self.days)
            try await server.crawler().tidy()
            try await server.crawler().tidy()
            let row = try await server.row("a"), shown = try await server.crawler().show("a")
            let newest = try await server.crawler().history("a", after: nil, limit: 1).first
            _ = try await server.crawl("a")
            let wait: Double = try await server.value(
                "select extract(epoch from next_try - last_try)::float8 from service_document")
            site.set("/", Pages.document("org.ietf.oauth2"))
            server.clock.pass(Self.days)
            let back = try await server.crawl("a")

            #expect(
                shown == nil && row["protocols"] == [] && row["state"] == "failed" && row["hash"] == .null
                    && row["forgotten_at"] != .null)
            #expect(newest?["reason"] == "forgotten" && newest?["removed"] == ["org.ietf.oauth2"])
            #expect(
                try await server.value(
                    "select count(*) from audit where action = 'crawl.forgotten' and node = 'service:a'") == 1)
            #expect((6.3 * Self.days...7.7 * Self.days).contains(wait))
            #expect(back.outcome == .changed && back.state == .ok)
            #expect(try await server.row("a")["forgotten_at"] == .null)
        }
    }

    @Test("one more than a statement takes is forgotten in the same round")
    func oneMore() async throws {
        try await CrawlDatabase.with { server in
            let count = CrawlStore.forgottenAtOnce + 1
            for number in 1...count { try await server.add("s\(number)", base: "https://s\(number).example/") }
            _ = try await server.database.execute("update service_document set state = 'failed'")
            server.clock.pass(100 * Self.days)

            try await server.crawler().tidy()

            #expect(
                try await server.value("select count(*) from service_document where forgotten_at is not null") == count)
        }
    }

    @Test("a clock that is days ahead of the database forgets nothing")
    func ahead() async throws {
        try await CrawlDatabase.with { server in
            try await server.add("a", base: "https://a.example/")
            _ = try await server.database.execute("update service_document set state = 'failed'")
            let ahead = server.clock.wall.now() + 100 * Self.days
            let forgotten: SQL = "select count(*) from service_document where forgotten_at is not null"

            try await server.crawler(clock: WallClock { ahead }).tidy()
            let early: Int = try await server.value(forgotten)
            server.clock.pass(100 * Self.days)
            try await server.crawler(clock: WallClock { ahead }).tidy()
            let late: Int = try await server.value(forgotten)

            #expect(early == 0 && late == 1)
        }
    }

    @Test("0 forgets nothing; what is good, stale, suspended or in flight is not forgotten")
    func kept() async throws {
        try await CrawlDatabase.with { server in
            let now = server.clock.wall.now()
            for id in ["bad", "good", "stale", "suspended", "flying"] {
                try await server.add(
                    id, base: "https://\(id).example/", status: id == "suspended" ? "suspended" : "active")
            }
            _ = try await server.database.batch([
                """
                update service_document set state = case service when 'good' then 'ok' when 'stale' then 'stale'
                    else 'failed' end
                """,
                """
                update service_document set claimed_until = \(now.addingTimeInterval(200 * Self.days))
                    where service = 'flying'
                """,
            ])
            server.clock.pass(100 * Self.days)

            try await server.crawler(CrawlerSettings(forgetAfter: 0)).tidy()
            let never: Int = try await server.value(
                "select count(*) from service_document where forgotten_at is not null")
            try await server.crawler().tidy()
            let forgotten: [String] = try await server.value(
                "select array_agg(service) from service_document where forgotten_at is not null")
            let failing = try await Crawler.failing(since: now, in: server.database)

            #expect(never == 0 && forgotten == ["bad"])
            #expect(failing == ["bad", "flying"], "what an operator may remove")
        }
    }
}
