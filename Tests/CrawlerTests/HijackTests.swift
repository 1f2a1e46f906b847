import Base
import Foundation
import Testing
import Vocabulary

@testable import Crawler

@Suite("What a document, a link or a redirect may not do", .timeLimit(.minutes(30)))
struct HijackTests {
    private static let base = "https://host.example/learn"

    private func endpoints(_ link: String, revoke: String? = nil) -> ServiceEndpoints {
        let apis =
            [ServiceAPI(name: "org.ietf.oauth2.token", link: link)]
            + (revoke.map { [ServiceAPI(name: "org.ietf.oauth2.revoke", link: $0)] } ?? [])
        let document = ServiceDocument(
            engineName: "E", engineLink: HijackTests.base, homePageLink: HijackTests.base, apis: apis)
        return ServiceEndpoints(document, base: HijackTests.base)
    }

    @Test(
        "an endpoint below the base is taken, in one spelling",
        arguments: ["https://host.example/learn/oauth2/token", "HTTPS://Host.example:443/learn/oauth2/token/"])
    func own(link: String) {
        let read = endpoints(link, revoke: "https://host.example/learn/end")

        #expect(
            read.token == "https://host.example/learn/oauth2/token"
                && read.revocation == "https://host.example/learn/end" && !read.isForeign)
    }

    @Test(
        "an endpoint elsewhere is not",
        arguments: [
            "https://evil.example/learn/token", "http://host.example/learn/token",
            "https://host.example:8443/learn/token", "https://host.example/other/token",
            "https://host.example/learning/token", "https://host.example/learn/token?to=evil",
            "https://host.example/learn/../other/token", "https://host.example/learn",
        ])
    func foreign(link: String) {
        let read = endpoints(link), ending = endpoints("https://host.example/learn/token", revoke: link)

        #expect(read.token == "https://host.example/learn/token" && read.isForeign)
        #expect(ending.revocation == nil && ending.isForeign)
    }

    @Test("a foreign endpoint is told and not taken; one that leaves the document goes back, with an audit row")
    func moved() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": .ok("{\"apis\":{\"org.ietf.oauth2\":{\"apiLink\":\"https://evil.example/\"}}}")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let foreign = try await server.crawl("a")
            #expect(foreign.state == .ok && foreign.warnings == ["foreign_endpoint"] && foreign.advice.count == 1)
            #expect(try await server.value("select token_endpoint from service") == site.origin + "/token")
            let kept: [String] = try await server.value("select warnings from document_history")
            #expect(kept == ["foreign_endpoint"])
            site.set("/", Pages.document("org.ietf.oauth2"))
            server.clock.pass(60)
            _ = try await server.crawl("a")
            #expect(try await server.value("select token_endpoint from service") == site.origin + "/oauth2/token")
            site.set("/", Pages.document("gov.adlnet.xapi"))
            server.clock.pass(60)
            let last = try await server.crawl("a")

            #expect(last.warnings == ["hidden_from_apps"])
            #expect(try await server.value("select token_endpoint from service") == site.origin + "/token")
            let detail: JSONValue = try await server.value(
                "select detail from audit where action = 'crawl.changed' order by at desc limit 1")
            let move: JSONValue = [
                "from": .string(site.origin + "/oauth2/token"), "to": .string(site.origin + "/token"),
            ]
            #expect(detail["token_endpoint"] == move)
            let told: String? = try await server.value("select detail from document_history order by seq desc limit 1")
            #expect(told == "token_endpoint from \(site.origin)/oauth2/token to \(site.origin)/token")
        }
    }

    @Test("an endpoint from before the rule is put right by a crawl that changes nothing else")
    func before() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("gov.adlnet.xapi")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            _ = try await server.database.execute("update service set token_endpoint = 'https://evil.example/token'")
            server.clock.pass(60)

            #expect(try await server.crawl("a").outcome == .unchanged)
            #expect(try await server.value("select token_endpoint from service") == site.origin + "/token")
        }
    }

    @Test("from an https base no http link is followed")
    func scheme() throws {
        let page = try WebURL("https://host.example/learn/")

        #expect(try Search.next("/rsd", from: page, base: HijackTests.base).description == "https://host.example/rsd")
        #expect(throws: CrawlFailure.self) {
            try Search.next("http://host.example/rsd", from: page, base: HijackTests.base)
        }
        #expect(
            try Search.next("http://host.example/rsd", from: page, base: "http://host.example/learn").isSecure == false)
    }

    @Test(
        "a temporary redirect is followed this time only, a permanent one is remembered",
        arguments: [
            (302, "/rsd"), (303, "/rsd"), (307, "/rsd"), (301, "/new"), (308, "/new"),
        ])
    func redirect(status: Int, remembered: String) async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/": Pages.home("/rsd"), "/rsd": .move("/new", status),
                "/new": Pages.document("org.ietf.oauth2", headers: ["ETag": "\"n\""]),
            ])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            let found = try await server.crawl("a"), row = try await server.row("a")
            let etag: JSONValue = remembered == "/new" ? "\"n\"" : .null

            #expect(found.documentURL == site.origin + remembered && row["etag"] == etag)
        }
    }

    @Test("a document at another origin counts only as long as the base announces it")
    func elsewhere() async throws {
        try await CrawlDatabase.with { server in
            let other = try Site(["/rsd": Pages.document("org.ietf.oauth2")])
            defer { other.stop() }
            let far = "http://localhost.example:\(other.port)/rsd", site = try Site(["/": Pages.home(far)])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            let settings = CrawlerSettings(
                allow: try #require(CIDR.list("127.0.0.1")),
                resolve: try #require(PinnedNames("localhost.example=127.0.0.1")))
            let crawler = server.crawler(settings)

            let first = try #require(try await crawler.crawl(["a"], dueOnly: false, dryRun: false).first)
            site.set("/", .ok("<!doctype html><p>mine again"))
            server.clock.pass(60)
            let second = try #require(try await crawler.crawl(["a"], dueOnly: false, dryRun: false).first)

            #expect(first.state == .ok && first.documentURL == far)
            #expect(second.outcome == .failed && other.hits("/rsd") == 1)
        }
    }

    @Test("a ttl that no column holds is the longest that counts")
    func ttl() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("a.b", headers: ["Cache-Control": "max-age=99999999999"])])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")

            #expect(try await server.crawl("a").state == .ok)
            #expect(try await server.value("select ttl_s from service_document") == CrawlSchedule.longestTTL)
        }
    }

    @Test("validators of more than a KiB are not kept")
    func validators() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/": Pages.document("a.b", headers: ["ETag": "\"\(String(repeating: "e", count: 1_100))\""])
            ])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")

            #expect(try await server.row("a")["etag"] == .null)
        }
    }
}
