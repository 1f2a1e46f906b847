import Base
import Federation
import Foundation
import Testing

@testable import Crawler

@Suite("Crawls that a service asked for, and what it is told of apps", .timeLimit(.minutes(30)))
struct AskedCrawlTests {
    @Test("one that is asked for is claimed next, and one that was asked for meanwhile is made once more")
    func asked() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            let store = CrawlStore(database: server.database), requests = CrawlRequests(clock: server.clock.wall)
            func due() async throws -> [String] {
                try await store.services(dueOnly: true, now: server.clock.wall.now())
            }
            _ = try await server.crawl("a")
            server.clock.pass(60)
            #expect(try await due() == [])

            #expect(try await requests.ask(for: "a", in: server.database) == .taken)
            #expect(try await due() == ["a"])
            server.clock.pass(1)
            _ = try await server.crawl("a")
            #expect(try await due() == [])
            #expect(try await requests.ask(for: "a", in: server.database) == .tooSoon(59))

            server.clock.pass(60)
            let started = server.clock.wall.now()
            let target = try #require(try await store.target("a", claiming: true, now: started))
            #expect(try await requests.ask(for: "a", in: server.database) == .taken)
            let service = try await server.crawl("a")
            #expect(service.state == .ok && target.service == "a")
            server.clock.pass(1)
            #expect(try await due() == ["a"], "what began when it was asked for may have read what was there before")
        }
    }

    @Test("nobody who is not crawled is heard")
    func nobody() async throws {
        try await CrawlDatabase.with { server in
            try await server.add("s", base: "https://s.example/", status: "suspended")
            let requests = CrawlRequests(clock: server.clock.wall)

            #expect(try await requests.ask(for: "s", in: server.database) == .notCrawled)
            #expect(try await requests.ask(for: "unknown", in: server.database) == .notCrawled)
        }
    }

    @Test("a document without org.ietf.oauth2 is good, and its service is told that apps will not see it")
    func hidden() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("gov.adlnet.xapi")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let result = try await server.crawl("a"), row = try await server.row("a")
            #expect(result.state == .ok && result.warnings == ["hidden_from_apps"])
            #expect(result.advice.first?.contains("org.ietf.oauth2") == true)
            #expect(row["state"] == "ok" && row["warnings"] == [] && row["notices"] == ["hidden_from_apps"])
            site.set("/", Pages.document("gov.adlnet.xapi", "org.ietf.oauth2"))
            server.clock.pass(60)
            let shown = try await server.crawl("a")

            #expect(shown.warnings == [])
            #expect(try await server.row("a")["notices"] == [])
        }
    }

    @Test("an empty document has the warning that says more")
    func empty() {
        #expect(CrawlWarning.missing(in: []) == [])
        #expect(CrawlWarning.missing(in: ["org.ietf.oauth2", "a"]) == [])
        #expect(CrawlWarning.missing(in: ["a"]) == [.hiddenFromApps])
    }
}
