import Administration
import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("crawl run, as a server does it for others")
struct CrawlRunTests {
    private func lines(_ it: Administered) async throws -> [String] {
        try await it.server.database.query(
            "select node || ' ' || actor || ' ' || outcome as line from audit where action = 'crawl.run' order by id"
        ).map { try $0("line") }
    }

    private func states(_ it: Administered) async throws -> [String] {
        try await it.listed("crawl status", "state", as: it.auditor)
    }

    @Test("an owner's own service is crawled, and the trail says who asked; a dry run leaves nothing")
    func own() async throws {
        try await Administered.with { it in
            let arguments: JSONObject = ["services": ["learn"]]
            var dry = arguments
            dry["dry_run"] = true
            _ = try await it.told("crawl run", dry, as: it.owner)
            let before = try await lines(it), untouched = try await states(it)
            let told = try await it.told("crawl run", arguments, as: it.owner)
            let after = try await lines(it), states = try await states(it)

            let items = told["items"]?.array ?? []
            #expect(items.map { $0["service"]?.string } == ["learn"])
            // Nobody answers there.
            #expect(items.first?["outcome"] == "failed")
            #expect(before == [] && untouched == ["pending", "pending"])
            #expect(after == ["service:learn test failed"])
            #expect(states.count(where: { $0 == "pending" }) == 1)
        }
    }

    @Test("what is somebody else's is not there to them, and nothing of the request is crawled")
    func foreign() async throws {
        try await Administered.with { it in
            for names in [["quiet"], ["learn", "quiet"], ["nowhere"]] {
                let refusal = try await it.refusal(
                    "crawl run", ["services": JSONValue(strings: names)], as: it.owner)
                #expect(refusal?.code == .notFound, "\(names)")
            }
            for authority in [it.auditor, it.nobody] {
                #expect(try await it.refusal("crawl run", ["services": ["learn"]], as: authority)?.code == .forbidden)
            }
            #expect(try await lines(it) == [])
            #expect(try await states(it) == ["pending", "pending"])
        }
    }

    @Test("a request names 1 to 20 services")
    func bounded() async throws {
        try await Administered.with { it in
            for count in [0, 21] {
                let names = (0..<count).map { $0 == 0 ? "learn" : "service\($0)" }
                let refusal = try await it.refusal(
                    "crawl run", ["services": JSONValue(strings: names)], as: it.administrator)
                #expect(refusal?.code == .usage && refusal?.description.contains("1 to 20") == true, "\(count)")
            }
            // Twenty are looked for.
            let twenty = try await it.refusal(
                "crawl run", ["services": JSONValue(strings: (0..<20).map { "service\($0)" })], as: it.administrator)

            #expect(twenty?.code == .notFound)
            #expect(try await lines(it) == [])
        }
    }
}
