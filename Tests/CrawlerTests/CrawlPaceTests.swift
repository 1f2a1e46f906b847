import Base
import Foundation
import Testing

@testable import Crawler

@Suite("When a worker claims", .timeLimit(.minutes(30)))
struct CrawlPaceTests {
    private let now = ContinuousClock.now

    @Test("at once, then while something is found each second, then when something is due")
    func due() {
        var pace = CrawlPace(places: 8, at: now)
        pace.hears = true
        #expect(pace.next(at: now) == now)
        pace.claims()
        pace.claimed(2, due: nil, at: now)
        #expect(pace.free == 6 && pace.next(at: now) == now + .seconds(1))
        pace.claimed(0, due: 42, at: now)
        #expect(pace.next(at: now) == now + .seconds(42))
        pace.claimed(0, due: 0, at: now)
        #expect(pace.next(at: now) == now + .seconds(1))
        pace.claimed(0, due: nil, at: now)
        #expect(pace.next(at: now) == now + CrawlPace.longestNap)
    }

    @Test("each second where changes are not heard of")
    func deaf() {
        var pace = CrawlPace(places: 8, at: now)
        pace.claims()
        pace.claimed(0, due: 42, at: now)
        #expect(pace.next(at: now) == now + .seconds(1))
    }

    @Test("when something has changed: soon after a claim in vain, and at once after one that was not")
    func told() {
        var pace = CrawlPace(places: 8, at: now)
        pace.hears = true
        pace.claims()
        pace.claimed(0, due: nil, at: now)
        pace.told()
        #expect(pace.next(at: now) == now + .milliseconds(200))
        pace.claims()
        pace.claimed(8, due: nil, at: now)
        #expect(pace.next(at: now) == now + CrawlPace.longestNap)
        pace.ended()
        #expect(pace.next(at: now) == now + .seconds(1))
        pace.ended()
        #expect(pace.free == 2 && pace.next(at: now) == now)
    }

    @Test("what is told of while a claim is under way is not lost with it")
    func toldMeanwhile() {
        var pace = CrawlPace(places: 8, at: now)
        pace.hears = true
        pace.claims()
        pace.told()
        pace.claimed(0, due: nil, at: now)
        #expect(pace.next(at: now) == now + CrawlPace.rest)
    }

    @Test("the next that is due is known, also one that is claimed, put off with its host, or not to be crawled")
    func nextDue() async throws {
        try await CrawlDatabase.with { server in
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()
            #expect(try await store.nextDue(now: now) == nil)
            for id in ["a", "b"] { try await server.add(id, base: "https://\(id).example/") }
            try await server.add("s", base: "https://s.example/", status: "suspended")
            #expect(try await store.nextDue(now: now) == now)

            _ = try await store.claimDue(limit: 9, now: now)
            let lease = now.addingTimeInterval(CrawlSchedule.lease), later = now.addingTimeInterval(60)
            #expect(try await store.nextDue(now: now) == lease)
            _ = try await server.database.execute(
                "update service_document set claimed_until = null, next_try = \(later) where service = 'a'")
            #expect(try await store.nextDue(now: now) == later)

            let put = now.addingTimeInterval(30)
            _ = try await server.database.execute(
                """
                update service_document set claimed_until = null, host = 'b.example', next_try = \(now)
                    where service = 'b'
                """)
            _ = try await server.database.execute(
                """
                insert into crawl_host (host, failures, last_failed, not_before) values ('b.example', 2, 'b', \(put))
                """)
            #expect(try await store.nextDue(now: now) == put)
        }
    }

    @Test("a worker that naps hears of a service that joins")
    func joins() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            let crawler = server.crawler()
            let work = Task { try? await crawler.run() }
            defer { work.cancel() }
            // Long enough for the first claim, in vain.
            try await Task.sleep(for: .seconds(2))
            try await server.add("a", base: site.origin + "/")
            _ = try await server.database.query("select pg_notify('pando_federation', 'a')")

            for _ in 0..<1_200 where site.hits("/") == 0 { try await Task.sleep(for: .milliseconds(50)) }
            #expect(site.hits("/") == 1)
        }
    }
}
