import Base
import Database
import Foundation
import Testing

@testable import Crawler

@Suite("Verdicts and claims that are made together", .timeLimit(.minutes(30)))
struct CrawlGatheringTests {
    /// A verdict as of a document with these protocols.
    private func verdict(_ target: CrawlTarget, _ text: String, now: Date) throws -> CrawlVerdict {
        let url = try WebURL(target.base), body = Array(text.utf8)
        let read = try DocumentReader(base: target.base, indexName: target.name).read(body, charset: nil, url: url)
        let answer = Answer(url: url, status: 200, headers: [:], body: body)
        let found = Found(body: .read(read), answer: answer, source: .base, ttl: nil, hash: Digest.sha256(body))
        return CrawlVerdict(found, of: target, searched: true, now: now, schedule: CrawlSchedule { 1 })
    }

    @Test("verdicts of one transaction: each has its own row, listing, history and audit; who was suspended has none")
    func verdicts() async throws {
        try await CrawlDatabase.with { server in
            let store = CrawlStore(database: server.database), now = server.clock.wall.now(),
                ids = ["c", "a", "d", "b"]
            for id in ids { try await server.add(id, base: "https://\(id).example/") }
            var targets: [CrawlTarget] = []
            for id in ids { targets.append(try #require(try await store.claim(id, ifDueAt: now))) }
            try await server.database.execute("update service set status = 'suspended' where id = 'd'")
            var writings: [CrawlWriting] = []
            for target in targets {
                let text = "{\"apis\":{\"x.\(target.service)\":{\"apiLink\":\"x\"},\"x.all\":{\"apiLink\":\"y\"}}}"
                writings.append(
                    CrawlWriting(
                        verdict: try verdict(target, text, now: now), target: target, started: now, news: .answers,
                        now: now))
            }
            try await server.database.execute(
                "insert into crawl_host (host, failures, last_failed) values ('a.example', 1, 'x')")

            let written = try await CrawlWriting.write(writings, in: server.database)

            #expect(written == [true, true, false, true])
            for id in ["a", "b", "c"] {
                let row = try await server.row(id),
                    history = try await server.crawler().history(id, after: nil, limit: 9)
                #expect(row["state"] == "ok" && row["protocols"] == ["x.\(id)", "x.all"].sorted().json)
                #expect(history.count == 1 && history.first?["added"] == row["protocols"])
                let audited: Int = try await server.value("select count(*) from audit where node = \("service:" + id)")
                #expect(audited == 1)
            }
            let untouched = try await server.row("d")
            #expect(untouched["state"] == "suspended" && untouched["last_try"] == .null)
            let held: Int = try await server.value(
                "select count(*) from service_document where claimed_until is not null")
            let hosts: Int = try await server.value("select count(*) from crawl_host")
            #expect(held == 0 && hosts == 0)
        }
    }

    @Test("claims by name that come together: each is its own, and who may not be claimed is told of all the same")
    func claims() async throws {
        try await CrawlDatabase.with { server in
            let store = CrawlStore(database: server.database), now = server.clock.wall.now()
            for id in ["a", "b", "c"] { try await server.add(id, base: "https://\(id).example/") }
            try await server.add("off", base: "https://off.example/", status: "suspended")
            let held = try #require(try await store.claim("a", ifDueAt: now)?.claimedUntil)

            let made = try await CrawlClaim.make(
                [
                    CrawlClaim(service: "a", ifDue: true, now: now), CrawlClaim(service: "b", ifDue: true, now: now),
                    CrawlClaim(service: "off", ifDue: false, now: now),
                    CrawlClaim(service: "c", ifDue: false, now: now), CrawlClaim(service: "no", ifDue: false, now: now),
                ], in: server.database)

            #expect(made.map { $0?.service } == [nil, "b", "off", "c", nil])
            #expect(made[1]?.claimedUntil == held && made[3]?.claimedUntil == held)
            #expect(made[2]?.isSuspended == true && made[2]?.claimedUntil == nil)
        }
    }

    @Test("results are handed on one by one, each when its row is written, and none is missing")
    func streamed() async throws {
        try await CrawlDatabase.with { server in
            let site = try Site()
            defer { site.stop() }
            for id in 0..<9 {
                site.set("/\(id)/", Pages.document("a.b"))
                try await server.add("s\(id)", base: site.origin + "/\(id)/")
            }
            var told: [String] = [], wanted: [String] = []

            try await server.crawler().crawl([], dueOnly: true, dryRun: false) {
                wanted = $0
            } each: {
                #expect($0.outcome == .changed)
                told.append($0.service)
            }
            let again = try await server.crawler().crawl([], dueOnly: true, dryRun: false)
            let written: Int = try await server.value(
                "select count(*) from service_document where state = 'ok' and claimed_until is null")

            #expect(wanted.count == 9 && told.sorted() == wanted && again.isEmpty && written == 9)
        }
    }
}

extension [String] {
    fileprivate var json: JSONValue { JSONValue(strings: self) }
}
