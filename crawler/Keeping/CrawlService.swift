import Base
import Foundation
import Logging

/// Crawls one service: search, verdict, row. Everything it needs is a value, so that a crawl touches nothing but its own service.
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
            return CrawlResult(service: target.service, base: target.base, outcome: .failed, state: .suspended, reason: .suspended,
                               detail: "suspended by an operator, not crawled", source: nil, documentURL: nil, httpStatus: nil, protocols: [],
                               added: [], removed: [], warnings: [], tookMS: 0)
        }
        let verdict = try await verdict(on: target, now: started)
        if !dryRun { try await store.save(verdict, of: target, started: started, now: clock.now()) }
        return verdict.result(of: target, tookMS: Int((ContinuousClock.now - began) / .milliseconds(1)))
    }

    private func verdict(on target: CrawlTarget, now: Date) async throws -> CrawlVerdict {
        let session = FetchSession(policy: policy, resolver: resolver, gate: gate, clock: clock, loopback: target.allowsLoopback)
        var search = Search(target: target, session: session, searchesAnew: CrawlSchedule.isSearchDue(target.lastSearch, now: now))
        let result: Result<Found, any Error>
        do {
            result = .success(try await search.run())
        } catch {
            result = .failure(error)
        }
        await session.close()
        switch result {
        case .success(let found): return CrawlVerdict(found, of: target, searched: search.searched, now: clock.now(), schedule: schedule)
        case .failure(let failure as SearchFailure):
            return CrawlVerdict(failure, of: target, staleMax: staleMax, now: clock.now(), schedule: schedule)
        case .failure(let error): throw error
        }
    }
}
