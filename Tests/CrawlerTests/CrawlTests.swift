import Base
import Foundation
import Testing

@testable import Crawler

@Suite("A crawl, from the base URL to the row", .timeLimit(.minutes(30)))
struct CrawlTests {
    @Test("a linked document is found, read and written, with everything that follows from it")
    func first() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/": Pages.home("/d/rsd.json"),
                "/d/rsd.json": Pages.document(
                    "org.ietf.oauth2", "MetaWeblog", headers: ["ETag": "\"v1\"", "Cache-Control": "max-age=600"]),
            ])
            defer { site.stop() }
            try await server.add("campus", base: site.origin + "/")
            var told = server.database.listen("pando_federation").makeAsyncIterator()
            while let word = await told.next(), word != .listening {}

            let result = try await server.crawl("campus")

            #expect(
                result.outcome == .changed && result.state == .ok && result.reason == nil && result.source == .html
                    && result.httpStatus == 200)
            #expect(
                result.protocols == ["MetaWeblog", "org.ietf.oauth2"] && result.added == result.protocols
                    && result.removed == [])
            #expect(result.documentURL == site.origin + "/d/rsd.json")
            #expect(
                result.json.object?.names == [
                    "service", "base", "outcome", "state", "reason", "detail", "source", "document_url", "http_status",
                    "protocols",
                    "added", "removed", "warnings", "notices", "took_ms",
                ])
            // Other tests use the same channel; this name is this test's.
            while let word = await told.next(), word != .payload("campus") {}
            let row = try await server.row("campus")
            #expect(
                row["state"] == "ok" && row["failures"] == 0 && row["etag"] == "\"v1\""
                    && row["protocols"] == ["MetaWeblog", "org.ietf.oauth2"])
            #expect(row["hash"]?.string?.count == 64 && row["last_ok"] == row["last_try"])
            let offered: [String] = try await server.value(
                "select offered from service_document where service = 'campus'")
            #expect(offered == ["metaweblog", "org.ietf.oauth2", "com.xmlrpc.metaweblog"])
            let shown = try await server.crawler().show("campus")
            #expect(shown?["apis"]?["com.xmlrpc.metaweblog"]?["apiLink"]?.string == site.origin + "/MetaWeblog/")
            #expect(
                try await server.value("select token_endpoint from service where id = 'campus'") == site.origin
                    + "/oauth2/token")
            #expect(
                try await server.value("select revocation_endpoint from service where id = 'campus'") == String?.none)
            let detail: JSONValue = try await server.value(
                """
                select detail from audit where actor = 'crawler' and action = 'crawl.changed'
                    and node = 'service:campus' and outcome = 'done'
                """
            )
            let move: JSONValue = [
                "from": .string(site.origin + "/token"), "to": .string(site.origin + "/oauth2/token"),
            ]
            #expect(detail == ["added": ["MetaWeblog", "org.ietf.oauth2"], "removed": [], "token_endpoint": move])
            let wait: Double = try await server.value(
                "select extract(epoch from next_try - last_try)::float8 from service_document")
            #expect((540...660).contains(wait))
        }
    }

    @Test("the known document is asked for conditionally; 304 and the same bytes are unchanged")
    func unchanged() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.home("/rsd.json")])
            defer { site.stop() }
            site.set("/rsd.json") { request in
                request.headers["if-none-match"] == "\"v1\""
                    ? .status(304, headers: ["ETag": "\"v1\""])
                    : Pages.document("org.ietf.oauth2", headers: ["ETag": "\"v1\""])
            }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            server.clock.pass(60)

            let second = try await server.crawl("a")
            let row = try await server.row("a")
            site.set("/rsd.json", Pages.document("org.ietf.oauth2"))
            server.clock.pass(60)
            let third = try await server.crawl("a")

            #expect(
                second.outcome == .unchanged && second.httpStatus == 304 && second.protocols == ["org.ietf.oauth2"]
                    && second.source == .html)
            #expect(row["state"] == "ok" && row["http_status"] == 304)
            #expect(third.outcome == .unchanged && third.httpStatus == 200)
            #expect(site.hits("/") == 1)
            #expect(try await server.value("select count(*) from audit") == 1)
        }
    }

    @Test("a change replaces document, names and token endpoint together, with an audit row of what came and went")
    func changed() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2", "gov.adlnet.xapi")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            #expect(try await server.crawl("a").source == .base)
            site.set(
                "/",
                .ok(
                    """
                    {\"apis\":{\"org.ietf.oauth2\":{\"apiLink\":\"other\"},\"org.ietf.oauth2.revoke\":{\"apiLink\"\
                    :\"kill\"}}}
                    """
                ))
            server.clock.pass(60)

            let result = try await server.crawl("a")

            #expect(
                result.outcome == .changed && result.added == ["org.ietf.oauth2.revoke"]
                    && result.removed == ["gov.adlnet.xapi"])
            #expect(try await server.value("select token_endpoint from service") == site.origin + "/other/token")
            #expect(try await server.value("select revocation_endpoint from service") == site.origin + "/kill")
            #expect(try await server.value("select events_endpoint from service") == site.origin + "/events")
            #expect(try await server.crawler().show("a")?["engineName"] == "Index name of a")
        }
    }

    @Test("an outage keeps the last good document until it is too old, and backs off")
    func outage() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.home("/rsd.json"), "/rsd.json": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            site.set("/rsd.json", .status(503, "no", headers: ["Retry-After": "7200"]))
            server.clock.pass(60)

            let failed = try await server.crawl("a")
            let stale = try await server.row("a")
            server.clock.pass(8 * 86_400)
            let old = try await server.crawl("a")
            site.set("/rsd.json", Pages.document("org.ietf.oauth2"))
            server.clock.pass(60)
            let back = try await server.crawl("a")

            #expect(
                failed.outcome == .failed && failed.state == .stale && failed.reason == .httpStatus
                    && failed.httpStatus == 503)
            #expect(
                stale["state"] == "stale" && stale["failures"] == 1 && stale["protocols"] == ["org.ietf.oauth2"]
                    && stale["reason"] == "http_status")
            #expect(stale["detail"]?.string?.contains("503") == true)
            #expect(old.state == .failed && back.state == .ok && back.outcome == .unchanged)
            #expect(try await server.row("a")["failures"] == 0)
            #expect(try await server.crawler().show("a") != nil)
        }
    }

    @Test("404 keeps the document, 410 drops it, and a later trouble does not bring it back")
    func gone() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.home("/rsd.json"), "/rsd.json": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            _ = try await server.crawl("a")
            var states: [CrawlState] = []

            for status in [404, 410, 500] {
                site.set("/rsd.json", .status(status))
                server.clock.pass(60)
                states.append(try await server.crawl("a").state)
            }
            site.set("/", Pages.home("/moved.json"))
            site.set("/moved.json", Pages.document("org.ietf.oauth2"))
            server.clock.pass(60)

            #expect(states == [.stale, .gone, .gone])
            #expect(try await server.crawl("a").documentURL == site.origin + "/moved.json")
        }
    }

    @Test("a registered URL is the only candidate")
    func registered() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/": Pages.home("/wrong.json"), "/wrong.json": Pages.document("a.wrong"),
                "/else.json": Pages.document("a.right"),
            ])
            defer { site.stop() }
            try await server.add("good", base: site.origin + "/", rsd: site.origin + "/else.json")
            try await server.add("bad", base: site.origin + "/bad/", rsd: site.origin + "/missing.json")

            let good = try await server.crawl("good"), bad = try await server.crawl("bad")

            #expect(good.source == .registered && good.protocols == ["a.right"])
            #expect(bad.state == .failed && bad.reason == .httpStatus && bad.httpStatus == 404)
            #expect(site.hits("/") == 0)
        }
    }

    @Test("a dry run reads and writes nothing")
    func dryRun() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site(["/": Pages.document("org.ietf.oauth2")])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/")
            let before = try await server.row("a")

            let result = try await server.crawl("a", dryRun: true)

            #expect(result.outcome == .changed && result.protocols == ["org.ietf.oauth2"])
            #expect(try await server.row("a") == before)
        }
    }

    @Test("one failure touches no other service; results come in the order asked for")
    func several() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site([
                "/a/": Pages.document("org.ietf.oauth2"), "/c/": .ok("{\"apis\":", type: "application/json"),
            ])
            defer { site.stop() }
            try await server.add("a", base: site.origin + "/a/")
            try await server.add("b", base: "http://127.0.0.1:1025/")
            try await server.add("c", base: site.origin + "/c/")
            try await server.add("e", base: "http://10.0.0.1/")

            let results = try await server.crawler().crawl(
                ["e", "c", "b", "a", "unknown"], dueOnly: false, dryRun: false)

            #expect(results.map(\.service) == ["e", "c", "b", "a"])
            #expect(results.map(\.reason) == [.address, .malformed, .unreachable, nil])
        }
    }
}
