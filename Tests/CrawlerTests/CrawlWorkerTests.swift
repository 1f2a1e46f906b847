import Base
import Foundation
import Testing

@testable import Crawler

@Suite("Who crawls what, and when", .timeLimit(.minutes(30)))
struct CrawlWorkerTests {
    @Test("a claim is one worker's, and runs out by itself")
    func claims() async throws {
        try await CrawlDatabase.with { server in
            for id in ["a", "b", "c"] { try await server.add(id, base: "https://\(id).example/") }
            try await server.add("s", base: "https://s.example/", status: "suspended")
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()

            let first = try await store.claimDue(limit: 2, now: now),
                second = try await store.claimDue(limit: 9, now: now)
            let third = try await store.claimDue(limit: 9, now: now),
                later = try await store.claimDue(limit: 9, now: now.addingTimeInterval(CrawlSchedule.lease))

            #expect(first.count == 2 && second.count == 1 && third.isEmpty && later.count == 3)
            #expect(Set((first + second).map(\.service)) == ["a", "b", "c"])
        }
    }

    @Test("workers side by side crawl what is due, each service once, until they are cancelled")
    func workers() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site()
            defer { site.stop() }
            for index in 0..<6 {
                site.set("/\(index)/", Pages.document("org.ietf.oauth2"))
                try await server.add("s\(index)", base: site.origin + "/\(index)/")
            }
            let crawlers = [server.crawler(), server.crawler()]

            await withTaskGroup(of: Void.self) { group in
                for crawler in crawlers { group.addTask { try? await crawler.run() } }
                group.addTask {
                    for _ in 0..<2_400 {
                        if let left: Int = try? await server.value(
                            "select count(*) from service_document where state <> 'ok'"), left == 0
                        {
                            return
                        }
                        try? await Task.sleep(for: .milliseconds(50))
                    }
                }
                // Whoever ends first is the watch.
                await group.next()
                group.cancelAll()
            }

            #expect(try await server.value("select count(*) from service_document where state = 'ok'") == 6)
            #expect((0..<6).allSatisfy { site.hits("/\($0)/") == 1 })
        }
    }

    @Test(
        """
        a crawl that was overtaken by a later one does not overwrite it; one that was suspended meanwhile writes \
        nothing
        """
    )
    func overtaken() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            let store = CrawlStore(database: server.database), started = server.clock.wall.now()
            let target = try #require(try await store.target("a", claiming: false, now: started))
            let failure = SearchFailure(failure: CrawlFailure(.timeout, "slow"), isGone: false, searched: true)
            let verdict = CrawlVerdict(failure, of: target, staleMax: 0, now: started, schedule: .random)
            server.clock.pass(5)
            _ = try await server.crawl("a")

            #expect(try await store.save(verdict, of: target, started: started, now: started) == false)
            #expect(try await server.row("a")["state"] == "ok")
            _ = try await server.database.execute("update service set status = 'suspended' where id = 'a'")
            #expect(
                try await store.save(verdict, of: target, started: started.addingTimeInterval(60), now: started)
                    == false)
            #expect(try await server.row("a")["state"] == "suspended")
            let refused = try await server.crawl("a")
            #expect(refused.outcome == .failed && refused.state == .suspended && site.hits("/") == 1)
        }
    }

    @Test("all that is not suspended is crawled when nobody is named; due ones only when asked")
    func all() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/a/": Pages.document("a.b"), "/p/": Pages.document("a.b"), "/s/": Pages.document("a.b"),
            ])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/a/")
            try await server.add("p", base: site.origin + "/p/", status: "pending")
            try await server.add("s", base: site.origin + "/s/", status: "suspended")

            let due = try await server.crawler().crawl([], dueOnly: true, dryRun: false)
            let dueAgain = try await server.crawler().crawl([], dueOnly: true, dryRun: false)
            server.clock.pass(1)
            let all = try await server.crawler().crawl([], dueOnly: false, dryRun: false)

            #expect(due.map(\.service) == ["a", "p"] && dueAgain.isEmpty && all.map(\.service) == ["a", "p"])
            let page = try await server.crawler().status(services: [], after: "a", limit: 1)
            #expect(page.map { $0["service"] } == ["p"])
        }
    }
}

@Suite("Finding the document", .timeLimit(.minutes(30)))
struct SearchTests {
    private static let good = Pages.document("org.ietf.oauth2")

    @Test(
        "each way of pointing at it",
        arguments: [
            ("link-header", ["/": Site.Reply.ok("", headers: ["Link": "</d>; rel=\"ServiceAPI\""]), "/d": good]),
            (
                "link-header",
                ["/": .ok("<link rel=ServiceAPI href=/wrong>", headers: ["Link": "</d>; rel=ServiceAPI"]), "/d": good]
            ),
            (
                "html",
                [
                    "/": .ok("<base href=/deep/><link rel=ServiceAPI href=/none><link rel=ServiceAPI href=' d '>"),
                    "/deep/d": good,
                ]
            ),
            ("html", ["/": .move("/home/"), "/home/": .ok("<link rel=ServiceAPI href=d>"), "/home/d": good]),
            ("services.txt", ["/services.txt": .ok("application/x-rsd+json; /d"), "/d": good]),
            ("services.txt", ["/": .status(403), "/service.txt": .ok("application/rsd+json;d"), "/d": good]),
            ("services.txt", ["/": .ok("<p>x"), "/services.txt": good]),
            ("fallback", ["/services.txt": .ok("<!doctype html><p>Not found"), "/rsd": good]),
            ("fallback", ["/": .status(401), "/api.php?action=rsd": good]),
        ])
    func found(source: String, pages: [String: Site.Reply]) async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(pages)
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let result = try await server.crawl("a")

            #expect(result.source?.rawValue == source, "\(result)")
            #expect(result.protocols == ["org.ietf.oauth2"])
            #expect(site.requests.count <= 20)
        }
    }

    @Test(
        "the reason kept is the first announced failure, else not_found; an absent site ends the search",
        arguments: [
            ("not_found", ["/": Site.Reply.ok("<p>x")]), ("http_status", ["/": .status(500)]),
            ("not_rsd", ["/": .ok("<link rel=ServiceAPI href=/l>"), "/l": .ok("<!doctype html>login")]),
            ("not_rsd", ["/": .ok("{\"hello\":1}")]),
            (
                "malformed",
                [
                    "/": .ok("<link rel=ServiceAPI href=/a><link rel=ServiceAPI href=/b>"), "/a": .ok("{"),
                    "/b": .status(404),
                ]
            ),
            ("doctype", ["/services.txt": .ok("application/xml; /d"), "/d": .ok("<!DOCTYPE rsd><rsd/>")]),
            ("address", ["/": .ok("<link rel=ServiceAPI href=http://10.0.0.1/>")]),
            ("redirects", ["/": .move("/x"), "/x": .move("/")]), ("not_found", ["/": .status(404)]),
        ])
    func reasons(reason: String, pages: [String: Site.Reply]) async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(pages)
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let result = try await server.crawl("a")

            #expect(result.reason?.rawValue == reason, "\(result)")
            #expect(result.state == .failed && result.detail?.contains("\n") == false)
            if pages["/"]?.bytes.starts(with: "HTTP/1.1 500".utf8) == true { #expect(site.requests.count == 1) }
        }
    }

    @Test("a folder registered without its slash is found; services.txt says when to come back")
    func folder() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/blog/": .ok("<link rel=EditURI href=xmlrpc.php?rsd>"),
                "/blog/xmlrpc.php?rsd": .ok(Documents.rsd1(Documents.weblog)),
            ])
            let txt = try Site(["/services.txt": .ok("ttl: 1000\napplication/json; /d"), "/d": SearchTests.good])
            defer {
                site.stop()
                txt.stop()
            }
            try await server.add("blog", base: site.origin + "/blog")
            try await server.add("txt", base: txt.origin + "/")

            #expect(try await server.crawl("blog").source == .html)
            _ = try await server.crawl("txt")
            server.clock.pass(10)
            _ = try await server.crawl("txt")
            let wait: Double = try await server.value(
                "select extract(epoch from next_try - last_try)::float8 from service_document where service = 'txt'")
            #expect((900...1_100).contains(wait))
        }
    }
}
