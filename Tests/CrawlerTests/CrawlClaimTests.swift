import Base
import Foundation
import Testing

@testable import Crawler

@Suite("Claims, over all workers", .timeLimit(.minutes(30)))
struct CrawlClaimTests {
    /// As a crawl that found nobody at the service's host.
    @discardableResult
    private func fail(_ target: CrawlTarget, _ server: CrawlDatabase, started: Date? = nil) async throws -> Bool {
        let now = server.clock.wall.now(),
            search = SearchFailure(failure: CrawlFailure(.timeout, "nobody there"), isGone: false, searched: true)
        let verdict = CrawlVerdict(search, of: target, staleMax: 0, now: now, schedule: CrawlSchedule { 1 })
        return try await CrawlStore(database: server.database).save(
            verdict, of: target, started: started ?? now, news: .silent, now: now)
    }

    /// Free services of a host that could be claimed by their time.
    private func due(_ host: String, _ server: CrawlDatabase) async throws -> Int {
        try await server.value(
            """
            select count(*) from service_document where host = \(host) and next_try <= \(server.clock.wall.now())
                and claimed_until is null
            """
        )
    }

    @Test("workers that claim side by side never get the same service, and never more than two of a host")
    func sideBySide() async throws {
        try await CrawlDatabase.with { server in
            for host in 0..<10 {
                for service in 0..<3 {
                    try await server.add("s\(host)-\(service)", base: "https://h\(host).example/\(service)/")
                }
            }
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()

            let claimed = try await withThrowingTaskGroup(of: [CrawlTarget].self) { group in
                for _ in 0..<8 { group.addTask { try await store.claimDue(limit: 5, now: now) } }
                return try await group.reduce(into: [CrawlTarget]()) { $0 += $1 }
            }
            let rest = try await store.claimDue(limit: 99, now: now)

            let all = claimed + rest, hosts = Dictionary(grouping: all, by: \.host)
            #expect(Set(all.map(\.service)).count == all.count && all.count == 20)
            #expect(hosts.count == 10 && hosts.values.allSatisfy { $0.count == 2 })
        }
    }

    @Test(
        "what a killed worker held is taken up when its claim runs out; its own late verdict ends nobody else's claim")
    func killed() async throws {
        try await CrawlDatabase.with { server in
            try await server.add("a", base: "https://a.example/")
            let store = CrawlStore(database: server.database), started = server.clock.wall.now()

            let first = try #require(try await store.claimDue(limit: 1, now: started).first)
            server.clock.pass(CrawlSchedule.lease - 1)
            let early = try await store.claimDue(limit: 1, now: server.clock.wall.now())
            server.clock.pass(1)
            let second = try #require(try await store.claimDue(limit: 1, now: server.clock.wall.now()).first)
            let late = try await fail(first, server, started: started)
            let held: Date? = try await server.value("select claimed_until from service_document where service = 'a'")
            let own = try await fail(second, server)
            let free: Date? = try await server.value("select claimed_until from service_document where service = 'a'")

            #expect(early.isEmpty && second.service == "a" && second.claimedUntil != first.claimedUntil)
            #expect(late && held == second.claimedUntil && own && free == nil)
        }
    }

    @Test(
        """
        a dead host with 50 services takes two places and delays nobody; two different failures put the rest of it \
        off together
        """
    )
    func deadHost() async throws {
        try await CrawlDatabase.with { server in
            for index in 0..<50 { try await server.add("d\(index)", base: "https://dead.example/\(index)/") }
            server.clock.pass(1)
            for id in ["x", "y", "z"] { try await server.add(id, base: "https://\(id).example/") }
            server.clock.pass(1)
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()

            let few = try await store.claimDue(limit: 4, now: now), more = try await store.claimDue(limit: 4, now: now)
            let dead = few.filter { $0.host == "dead.example" }
            try #require(dead.count == 2)
            #expect(few.count == 2, "the oldest are all of one host")
            #expect(Set(more.map(\.service)) == ["x", "y", "z"])

            try await fail(dead[0], server)
            let afterOne = try await due("dead.example", server)
            try await fail(dead[1], server)
            let afterTwo = try await due("dead.example", server), none = try await store.claimDue(limit: 32, now: now)
            let pause: Double = try await server.value(
                "select extract(epoch from not_before - \(now))::float8 from crawl_host where host = 'dead.example'")
            #expect(afterOne == 48 && afterTwo == 0 && none.isEmpty && pause == 60)

            server.clock.pass(200)
            let again = try await store.claimDue(limit: 32, now: server.clock.wall.now()).filter {
                $0.host == "dead.example"
            }
            #expect(again.count == 2)
            for target in again { try await fail(target, server) }
            let longer: Double = try await server.value(
                "select extract(epoch from not_before - \(server.clock.wall.now()))::float8 from crawl_host")
            #expect(longer == 120)
        }
    }

    @Test(
        "one service that fails alone, however often, makes no other wait; an answer of the host forgets its failures")
    func alone() async throws {
        try await CrawlDatabase.with { server in
            for id in ["a", "b", "c"] { try await server.add(id, base: "https://one.example/\(id)/") }
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()
            func target(_ id: String) async throws -> CrawlTarget {
                try #require(try await store.target(id, claiming: false, now: now))
            }

            for _ in 0..<3 {
                try await fail(try await target("a"), server)
                server.clock.pass(1)
            }
            let afterAlone = try await due("one.example", server)
            _ = try await server.database.batch(
                CrawlStore.tell(.answers, of: try await target("b"), started: now, now: now))
            try await fail(try await target("b"), server)
            let afterAnswer = try await due("one.example", server)
            try await fail(try await target("a"), server)

            #expect(afterAlone == 2 && afterAnswer == 1)
            #expect(try await due("one.example", server) == 0)
        }
    }

    @Test("a crawl tells whether the host is there: nobody at its port is silence, an error page is an answer")
    func news() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": .status(503)])
            defer { site.stop() }
            for id in ["a", "b", "c"] { try await server.add(id, base: "http://127.0.0.1:1025/\(id)/") }
            try await server.add("up", base: site.origin + "/")

            for id in ["a", "b", "up"] { _ = try await server.crawl(id) }

            let hosts: String = try await server.value(
                "select string_agg(host, ' ') from crawl_host where not_before is not null")
            let waits: Bool = try await server.value(
                "select next_try > \(server.clock.wall.now()) from service_document where service = 'c'")
            #expect(hosts == "127.0.0.1:1025" && waits)
            #expect(try await server.row("c")["state"] == "pending", "its health is untouched")
        }
    }

    @Test("what was asked for while the service moved is not written, and its claim ends")
    func moved() async throws {
        try await CrawlDatabase.with { server in
            try await server.add("a", base: "https://old.example/")
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()
            let target = try #require(try await store.claimDue(limit: 1, now: now).first)
            _ = try await server.database.execute(
                "update service set base = 'https://new.example:8443/' where id = 'a'")

            let written = try await fail(target, server), next = try await store.claimDue(limit: 1, now: now)

            #expect(!written && next.map(\.host) == ["new.example:8443"])
        }
    }

    @Test("whoever waits for results of what is due gets all of one host")
    func dueOfOneHost() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site()
            defer { site.stop() }
            for index in 0..<4 {
                site.set("/\(index)/", Pages.document("org.ietf.oauth2"))
                try await server.add("s\(index)", base: site.origin + "/\(index)/")
            }

            let results = try await server.crawler().crawl([], dueOnly: true, dryRun: false)

            #expect(results.map(\.outcome) == [.changed, .changed, .changed, .changed])
        }
    }

    @Test(
        "the host in the row is the one that the search begins at",
        arguments: [
            ("https://Example.org:443/x/", nil, "example.org"), ("http://example.org:80", nil, "example.org"),
            ("https://example.org:8443/?a=b", nil, "example.org:8443"),
            ("http://[::1]:8080/", nil, "[::1]:8080"),
            ("https://a.example/", "https://docs.example/rsd.json", "docs.example"),
            ("https://a.example/", "rsd.json", "a.example"),
        ] as [(String, String?, String)])
    func host(base: String, rsd: String?, expected: String) async throws {
        try await CrawlDatabase.with { server in
            try await server.add("a", base: base, rsd: rsd)

            #expect(try await server.value("select host from service_document") == expected)
            if rsd == nil { #expect(try WebURL(base).hostAndPort == expected) }
        }
    }
}
