import Base
import Foundation
import Logging

/// Crawls one service: search, verdict, row. Everything it needs is a value, so that a crawl touches nothing but its
/// own service.
struct CrawlService: Sendable {
    let store: CrawlStore
    let policy: FetchPolicy
    let resolver: Resolver
    let gate: HostGate
    let schedule: CrawlSchedule
    let staleMax: TimeInterval
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
        let reading = try await read(target, now: started)
        if !dryRun {
            try await store.save(
                reading.verdict, of: target, started: started, news: reading.news(of: target.host), now: clock.now())
        }
        let result = reading.verdict.result(
            of: target, reading, isDryRun: dryRun, tookMS: Int((ContinuousClock.now - began) / .milliseconds(1)))
        CrawlMetrics.shared.record(result)
        return result
    }

    private func read(_ target: CrawlTarget, now: Date) async throws -> CrawlReading {
        let session = FetchSession(
            policy: policy, resolver: resolver, gate: gate, clock: clock, loopback: target.allowsLoopback,
            loopbackPort: (try? WebURL(target.base))?.effectivePort)
        var search = Search(
            target: target, session: session, searchesAnew: CrawlSchedule.isSearchDue(target.lastSearch, now: now))
        let result: Result<Found, any Error>
        do {
            result = .success(try await search.run())
        } catch {
            result = .failure(error)
        }
        let (requests, bytes) = await session.close(), judged = search.judged
        let trail =
            requests.map { step in step.status == 200 ? judged[step.url].map { step.judged($0) } ?? step : step }
            + search.unasked
        let effort = CrawlEffort(requests: requests.count, bytes: bytes, parses: search.parses)
        switch result {
        case .success(let found):
            let verdict = CrawlVerdict(
                found, of: target, searched: search.searched, now: clock.now(), schedule: schedule)
            return CrawlReading(verdict: verdict, trail: trail, effort: effort)
        case .failure(let failure as SearchFailure):
            let verdict = CrawlVerdict(failure, of: target, staleMax: staleMax, now: clock.now(), schedule: schedule)
            return CrawlReading(verdict: verdict, trail: trail, effort: effort)
        case .failure(let error): throw error
        }
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
