import Base
import Foundation

/// One visit to a service: the search for its document, and what it means for what was known before. Writes nothing.
struct ServiceVisit: Sendable {
    let policy: FetchPolicy
    let resolver: Resolver
    let gate: HostGate
    let schedule: CrawlSchedule
    let staleMax: TimeInterval
    let clock: WallClock

    /// Throws when the task is cancelled; trouble with the service is a verdict.
    func read(_ target: CrawlTarget, now: Date) async throws -> CrawlReading {
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
