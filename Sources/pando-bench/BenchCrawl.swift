import ArgumentParser
import Base
import Crawler
import Foundation
import HTTP
import Server

/// `pando-bench crawl`: local sites, one in twenty of them slow, dead or hostile, crawled twice and beside curl on the
/// same pages.
struct BenchCrawl: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "crawl", abstract: "Crawl 10,000 local sites, of which 5 % are slow, dead or hostile.",
        discussion:
            """
            Sites live on addresses of 127.0.0.0/8, in a process of their own. Crawler, sites and PostgreSQL share \
            this machine's cores.
            """
    )

    @OptionGroup var options: BenchOptions
    @Option(help: ArgumentHelp("Sites in all.", valueName: "n")) var sites = 10_000
    @Option(help: ArgumentHelp("Services crawled at a time, and transfers of curl.", valueName: "n")) var concurrency =
        32

    func validate() throws {
        guard (100...100_000).contains(sites) else { throw ValidationError("--sites takes 100 to 100000") }
        guard (1...300).contains(concurrency) else { throw ValidationError("--concurrency takes 1 to 300") }
    }

    func offering() -> [Setting: String] {
        [.crawlerAllow: "127.0.0.0/8", .crawlerConcurrency: "\(concurrency)"]
    }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let curl = BenchCurl(folder: run.folder, parallel: concurrency)
        if curl == nil {
            report.notes.append(
                "THERE IS NO CURL on this machine: nothing stands beside the crawler. Debian's package curl brings it.")
        }
        report.rows += try await BenchSitesProcess.run { sites in
            var rows: [BenchRow] = []
            let rounds = BenchRounds(
                composition: run.composition, registry: run.registry, sites: sites, count: self.sites)
            BenchProgress.say("filling the index: \(self.sites) services")
            try await rounds.fill()
            BenchUsage.forgetPeak()
            BenchProgress.say("first crawl of the good sites")
            let first = try await rounds.crawl(rounds.good)
            BenchProgress.say("second crawl of the good sites, nothing has changed")
            let second = try await rounds.crawl(rounds.good)
            for (name, round) in [("first crawl", first), ("second crawl, unchanged", second)] {
                BenchProgress.say("curl on the pages of the \(name)")
                let fetched = try await curl?.fetch(round.asked)
                rows += BenchCrawl.rows(name, round, fetched)
                _ = try await sites.asked()
            }
            BenchProgress.say("first crawl of all sites, with the bad ones")
            try await rounds.forget()
            let whole = try await rounds.crawl(rounds.everyone)
            BenchProgress.say("curl on all sites, with the bad ones")
            let fetched = try await curl?.fetch(BenchCrawl.mixed(whole.asked, rounds.badBases))
            rows += BenchCrawl.rows(whole, beside: first, fetched)
            if let peak = BenchUsage.peakMemory {
                rows.append(BenchRow(name: "peak memory of the crawler's process", value: peak, unit: .mebibytes))
            }
            return rows
        }
    }

    /// Good sites only.
    private static func rows(_ name: String, _ round: BenchRounds.Round, _ curl: BenchCurl.Result?) -> [BenchRow] {
        let pages = Double(round.asked.count), beside = "curl, pages of the \(name)"
        var rows: [BenchRow] = []
        if let curl, curl.answers > 0 {
            let answers = Double(curl.answers)
            rows.append(BenchRow(name: beside, value: answers / curl.seconds, unit: .perSecond))
            rows.append(BenchRow(name: beside + ": CPU a page", value: 1_000 * curl.cpu / answers, unit: .milliseconds))
        }
        rows.append(BenchRow(name: "\(name): pages", value: pages / round.seconds, unit: .perSecond, ceiling: beside))
        rows.append(
            BenchRow(name: "\(name): services", value: Double(round.tally.services) / round.seconds, unit: .perSecond))
        rows.append(
            BenchRow(
                name: "\(name): CPU a page", value: 1_000 * round.cpu / max(1, pages), unit: .milliseconds,
                ceiling: beside + ": CPU a page"))
        rows.append(
            BenchRow(
                name: "\(name): not read", value: Double(round.tally.notRead), unit: .count))
        if let parses = round.parses {
            rows.append(BenchRow(name: "\(name): documents parsed", value: parses, unit: .count))
        }
        return rows
    }

    /// All sites: what the bad ones cost the others, and how long they take themselves.
    private static func rows(
        _ whole: BenchRounds.Round, beside first: BenchRounds.Round, _ curl: BenchCurl.Result?
    ) -> [BenchRow] {
        let alone = "good sites alone: time", beside = "curl, all sites: time"
        var rows = [BenchRow(name: alone, value: first.seconds, unit: .seconds)]
        if let curl { rows.append(BenchRow(name: beside, value: curl.seconds, unit: .seconds)) }
        rows.append(
            BenchRow(name: "all sites: until the last good one", value: whole.lastGood, unit: .seconds, ceiling: alone))
        rows.append(BenchRow(name: "all sites: time", value: whole.seconds, unit: .seconds, ceiling: beside))
        rows.append(BenchRow(name: "all sites: good ones not read", value: Double(whole.tally.lost), unit: .count))
        rows.append(BenchRow(name: "all sites: bad ones believed", value: Double(whole.tally.believed), unit: .count))
        return rows
    }

    /// The bad ones evenly among the others, as the crawler met them.
    private static func mixed(_ good: [String], _ bad: [String]) -> [String] {
        let distance = max(1, good.count / max(1, bad.count))
        var all: [String] = [], rest = bad[...]
        for (index, url) in good.enumerated() {
            all.append(url)
            if index % distance == distance - 1, let next = rest.popFirst() { all.append(next) }
        }
        return all + rest
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            \(sites) sites, each at an address of its own in 127.0.0.0/8, found in five ways and written in five \
            dialects, half of them with an ETag. \
            One in twenty refuses, is silent, drips, bombs with gzip or XML, never ends or redirects in circles.
            """,
            """
            A page is one whole answer of a good site: home pages, services.txt and 404 on the way to a document \
            count as well. \
            curl --parallel fetches the very same URLs, unconditionally, with \(concurrency) transfers and the \
            crawler's limits of time and size; \
            of the bad sites it fetches the home page only, and the crawler asks on where the answer allows.
            """,
            """
            CPU: user and system time of the process, by times(2); of the crawler with its PostgreSQL client and its \
            writing of rows, \
            without PostgreSQL and without the sites. Of CPU and times less is better.
            """,
            "Peak memory: VmHWM of this process since the index was filled; the bombs are in it.",
        ]
    }
}
