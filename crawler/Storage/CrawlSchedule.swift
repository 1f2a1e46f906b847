import Foundation

/// When a service is crawled next (design/crawler.md, "Schedule"). Times in seconds.
struct CrawlSchedule: Sendable {
    static let standardTTL = 86_400, shortestTTL = 300, longestTTL = ServicesText.longestTTL
    static let searchPeriod: TimeInterval = 7 * 86_400
    static let firstPause: TimeInterval = 60, longestPause: TimeInterval = 6 * 3_600
    /// A claim: longer than any crawl, so that a service is crawled by one worker, and short enough to make up for one
    /// that was killed.
    static let lease: TimeInterval = 120

    /// 0 to 1, evenly.
    let chance: @Sendable () -> Double

    static let random = CrawlSchedule { Double.random(in: 0...1) }

    /// The ttl within its bounds.
    static func bounded(_ ttl: Int?) -> Int { min(max(ttl ?? standardTTL, shortestTTL), longestTTL) }

    /// After a success: ttl ± 10 %.
    func next(after now: Date, ttl: Int) -> Date {
        now.addingTimeInterval(Double(CrawlSchedule.bounded(ttl)) * (0.9 + 0.2 * chance()))
    }

    /// After failure number `failures` in a row: full jitter, and not before what Retry-After asked for.
    func next(after now: Date, failures: Int, retryAfter: Duration?) -> Date {
        let most = min(
            CrawlSchedule.firstPause * pow(2, Double(min(max(failures, 1) - 1, 20))), CrawlSchedule.longestPause)
        let asked = retryAfter.map { TimeInterval($0.components.seconds) } ?? 0
        // A second at least: a pause of nothing is no pause.
        return now.addingTimeInterval(max(1, most * chance(), asked))
    }

    static func isSearchDue(_ lastSearch: Date?, now: Date) -> Bool {
        lastSearch.map { now.timeIntervalSince($0) >= searchPeriod } ?? true
    }
}
