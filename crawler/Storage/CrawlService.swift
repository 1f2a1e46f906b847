import Base
import Foundation
import Logging

/// Crawls one service: search, verdict, row. Everything it needs is a value, so that a crawl touches nothing but its
/// own service.
struct CrawlService: Sendable {
    let store: CrawlStore
    let visit: ServiceVisit
    let clock: WallClock

    /// Throws when the database fails or the task is cancelled; trouble with the service is a result.
    func run(_ target: CrawlTarget, dryRun: Bool) async throws -> CrawlResult {
        let began = ContinuousClock.now, started = clock.now()
        guard !target.isSuspended else {
            return CrawlResult(
                service: target.service, base: target.base, outcome: .failed, state: .suspended, reason: .suspended,
                detail: "suspended by an operator, not crawled", source: nil, documentURL: nil, httpStatus: nil,
                protocols: [],
                added: [], removed: [], warnings: [], tookMS: 0, isDryRun: dryRun)
        }
        let reading = try await visit.read(target, now: started)
        if !dryRun {
            try await store.save(
                reading.verdict, of: target, started: started, news: reading.news(of: target.host), now: clock.now())
        }
        let result = reading.verdict.result(
            of: target, reading, isDryRun: dryRun, tookMS: Int((ContinuousClock.now - began) / .milliseconds(1)))
        CrawlMetrics.shared.record(result)
        return result
    }
}

/// A verdict with what led to it.
struct CrawlReading: Sendable {
    let verdict: CrawlVerdict
    let trail: [CrawlStep]
    let effort: CrawlEffort

    /// Whether the host that the search began at is there; `nil` when it was not asked, e.g. because its address is
    /// forbidden.
    func news(of host: String) -> HostNews? {
        let asked = trail.filter { $0.host == host }
        if asked.contains(where: { $0.status != nil }) { return .answers }
        return !asked.isEmpty && asked.allSatisfy(\.isSilence) ? .silent : nil
    }
}
