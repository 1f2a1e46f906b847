import Base
import Crawler
import Database
import Foundation
import Server

/// Crawls of the sites, each measured, and curl on what each of them asked for.
struct BenchRounds: Sendable {
    /// One crawl.
    struct Round: Sendable {
        let seconds: Double
        /// Until the last good site was done.
        let lastGood: Double
        let cpu: Double
        /// Counted as they come; nobody keeps them, as no worker does.
        let tally: Tally
        /// What good sites answered.
        let asked: [String]
        /// Documents read; `nil` where the crawler does not count.
        let parses: Double?
    }

    struct Tally: Sendable {
        var services = 0
        var notRead = 0
        /// Good sites that were not read.
        var lost = 0
        /// Bad sites of which a document was believed.
        var believed = 0
    }

    let composition: Composition
    let registry: PrometheusRegistry
    let sites: BenchSitesProcess
    let count: Int

    private var database: Database { composition.database }
    private var all: [BenchSite] { (0..<count).map { BenchSite(number: $0) } }

    var good: [String] { all.filter { $0.trouble == nil }.map(BenchRounds.id) }
    var everyone: [String] { all.map(BenchRounds.id) }
    /// Where curl asks the bad ones.
    var badBases: [String] { all.filter { $0.trouble != nil }.map { sites.base(of: $0) + "/" } }

    static func id(_ site: BenchSite) -> String { "bench-\(site.number)" }

    // MARK: Index

    func fill() async throws {
        let now = composition.clock.now(), listed = all
        for first in stride(from: 0, to: listed.count, by: 5_000) {
            let part = listed[first..<min(first + 5_000, listed.count)]
            let ids = part.map(BenchRounds.id), bases = part.map { sites.base(of: $0) }
            let registered = part.map {
                $0.trouble == nil && $0.way == .registered ? sites.base(of: $0) + BenchSite.document : ""
            }
            _ = try await database.execute(
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, rsd,
                    created_at, changed_at)
                select site.id, site.id, site.base, 'active', (select min(c.id)
                    from client c), site.base || '/token', site.base || '/events', nullif(site.rsd, ''),
                    \(now), \(now)
                from unnest(\(ids)::text[], \(bases)::text[], \(registered)::text[]) as site (id, base, rsd)
                """)
        }
        try await forget()
    }

    /// As if nobody had been crawled yet.
    func forget() async throws {
        _ = try await database.execute("delete from service_document where service like 'bench-%'")
        _ = try await database.execute(
            """
            insert into service_document (service, next_try) select s.id, s.created_at from service s
                where s.id like 'bench-%'
            """
        )
        for table in ["service", "service_document"] {
            _ = try await database.execute("vacuum (analyze) \(identifier: table)")
        }
        _ = try await sites.asked()
    }

    // MARK: Rounds

    func crawl(_ services: [String]) async throws -> Round {
        let crawler = composition.crawler, known = Set(good), parsesBefore = parses
        let before = BenchUsage.now(), start = ContinuousClock.now
        var last = start, tally = Tally()
        try await crawler.crawl(services, dueOnly: false, dryRun: false) { result in
            let isGood = known.contains(result.service), isFailed = result.outcome == .failed
            if isGood { last = .now }
            tally.services += 1
            if isFailed { tally.notRead += 1 }
            if isGood, isFailed { tally.lost += 1 }
            if !isGood, !isFailed { tally.believed += 1 }
        }
        let end = ContinuousClock.now, cpu = BenchUsage.now().own - before.own
        return Round(
            seconds: (end - start) / .seconds(1), lastGood: (last - start) / .seconds(1), cpu: cpu, tally: tally,
            asked: try await sites.asked(),
            parses: parses.map { $0 - (parsesBefore ?? 0) })
    }

    private var parses: Double? {
        let lines = registry.page.split(separator: "\n").filter { $0.hasPrefix("pando_crawl_parses") }
        let values = lines.compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
        return values.isEmpty ? nil : values.reduce(0, +)
    }
}
