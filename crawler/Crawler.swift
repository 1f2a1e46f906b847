import Accounts
import Base
import Database
import Federation
import Foundation
import Logging
import TokenTree
import Traces

/// The door of the room: crawls on demand, works off what is due, and tells what is known.
public final class Crawler: Sendable {
    private let store: CrawlStore
    private let service: CrawlService
    private let concurrency: Int
    private let forgetAfter: TimeInterval
    private let clock: WallClock
    private let databaseClock: DatabaseClock
    private let logger: Logger

    public convenience init(
        database: Database, settings: CrawlerSettings, clock: WallClock, databaseClock: DatabaseClock, logger: Logger
    ) {
        self.init(
            database: database, settings: settings, clock: clock, databaseClock: databaseClock, logger: logger,
            adjust: { _ in })
    }

    init(
        database: Database, settings: CrawlerSettings, clock: WallClock, databaseClock: DatabaseClock, logger: Logger,
        adjust: (inout FetchPolicy) -> Void
    ) {
        store = CrawlStore(database: database)
        var policy = FetchPolicy(
            addresses: AddressPolicy(allow: settings.allow, deny: settings.deny), userAgent: settings.userAgent)
        adjust(&policy)
        service = CrawlService(
            store: store,
            visit: ServiceVisit(
                policy: policy, resolver: .system(pins: settings.resolve), gate: HostGate(), schedule: .random,
                staleMax: settings.staleMax, clock: clock),
            clock: clock)
        (concurrency, forgetAfter) = (settings.concurrency, settings.forgetAfter)
        (self.clock, self.databaseClock, self.logger) = (clock, databaseClock, logger)
    }

    /// Makes its threads, which need descriptors, before others take those. For a server: a command makes them as it
    /// crawls.
    public func prepare() { CrawlThreads.make() }

    /// Housekeeping: hosts that did not answer and that no service is at any more.
    public func forgetHosts() async throws { try await store.forgetHosts() }

    /// Crawls now and waits, and keeps all results: for few services, or who shows them in order.
    /// - Parameters:
    ///   - services: ids; empty means all that are neither suspended nor removed. Unknown ids are passed over.
    ///   - dueOnly: leaves out what is not due, or claimed by a worker.
    ///   - dryRun: fetches and reads, writes nothing.
    ///   - begin: called once with the number of services.
    ///   - progress: called with each result as it comes in, one at a time.
    /// - Returns: results in the order of `services`, or by id.
    public func crawl(
        _ services: [String], dueOnly: Bool, dryRun: Bool, begin: @Sendable (Int) -> Void = { _ in },
        progress: @Sendable (CrawlResult) -> Void = { _ in }
    ) async throws -> [CrawlResult] {
        var results: [String: CrawlResult] = [:], order: [String] = []
        try await crawl(services, dueOnly: dueOnly, dryRun: dryRun) { wanted in
            order = wanted
            begin(wanted.count)
        } each: { result in
            results[result.service] = result
            progress(result)
        }
        return order.compactMap { results.removeValue(forKey: $0) }
    }

    /// As ``crawl(_:dueOnly:dryRun:begin:progress:)``, for any number of services: a result is handed on when it is
    /// durable, and not kept.
    /// - Parameters:
    ///   - begin: called once with the ids, in order.
    ///   - each: called with each result as it comes in, one at a time; what it throws ends the crawl.
    public func crawl(
        _ services: [String], dueOnly: Bool, dryRun: Bool, begin: ([String]) -> Void = { _ in },
        each: (CrawlResult) throws -> Void
    ) async throws {
        var wanted = services
        if services.isEmpty || dueOnly {
            let open = try await store.services(dueOnly: dueOnly, now: clock.now())
            let isOpen = Set(open)
            wanted = services.isEmpty ? open : services.filter(isOpen.contains)
        }
        begin(wanted)
        try await withThrowingTaskGroup(of: CrawlResult?.self) { group in
            for (index, id) in wanted.enumerated() {
                if index >= concurrency, let done = try await group.next(), let result = done { try each(result) }
                group.addTask(executorPreference: CrawlThreads.next()) {
                    try await self.crawl(id, dueOnly: dueOnly, dryRun: dryRun)
                }
            }
            for try await case let result? in group { try each(result) }
        }
    }

    private func crawl(_ id: String, dueOnly: Bool, dryRun: Bool) async throws -> CrawlResult? {
        let now = clock.now()
        let target =
            dueOnly && !dryRun
            ? try await store.claim(id, ifDueAt: now)
            : try await store.target(id, claiming: !dryRun, now: now)
        guard let target else { return nil }
        return try await service.run(target, dryRun: dryRun)
    }

    /// The worker: claims what is due and crawls it, until cancelled. Trouble with the database is logged and waited
    /// out. It wakes when a service changes, when a crawl has ended, and when the next one is due.
    public func run() async throws {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pace = SharedCrawlPace(CrawlPace(places: concurrency, at: .now))
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepIndex() }
            group.addTask {
                for await notification in self.store.database.listen(ServiceIndex.channel) {
                    pace.withLock { pace in
                        pace.told()
                        if notification == .lost { pace.hears = false }
                        if notification == .listening { pace.hears = true }
                    }
                    bell.yield()
                }
            }
            var wakes = stream.makeAsyncIterator()
            while !Task.isCancelled {
                let (free, next) = pace.withLock { ($0.free, $0.next(at: .now)) }
                guard next <= .now else {
                    let alarm = Task { if (try? await Task.sleep(until: next)) != nil { bell.yield() } }
                    _ = await wakes.next()
                    alarm.cancel()
                    continue
                }
                pace.withLock { $0.claims() }
                let (targets, due) = await claim(free)
                pace.withLock { $0.claimed(targets.count, due: due, at: .now) }
                for target in targets {
                    group.addTask(executorPreference: CrawlThreads.next()) {
                        await self.work(target)
                        pace.withLock { $0.ended() }
                        bell.yield()
                    }
                }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    /// Once a minute: the gauges, and the removal policy.
    private func keepIndex() async {
        while !Task.isCancelled {
            do {
                try await tidy()
            } catch {
                logger.warning("crawler cannot tidy", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(60))
        }
    }

    /// One round of housekeeping: deletes documents by the removal policy, and measures.
    func tidy() async throws {
        let now = clock.now()
        if forgetAfter > 0 {
            // By the clock that is behind: nothing brings a document back that one ahead has forgotten.
            let since = min(now, try await databaseClock.now(store.database)) - forgetAfter
            var forgotten: [String]
            repeat {
                forgotten = try await store.forget(goodBefore: since, now: now)
                guard !forgotten.isEmpty else { break }
                logger.info("documents forgotten", metadata: ["services": "\(forgotten.joined(separator: " "))"])
            } while forgotten.count == CrawlStore.forgottenAtOnce && !Task.isCancelled
        }
        let (states, overdue) = try await store.counts(now: now)
        CrawlMetrics.shared.record(states: states, overdue: overdue)
    }

    /// With the seconds until there is something to claim, where nothing was.
    private func claim(_ free: Int) async -> ([CrawlTarget], due: TimeInterval?) {
        do {
            let now = clock.now(), targets = try await store.claimDue(limit: free, now: now)
            let next = targets.isEmpty ? try await store.nextDue(now: now) : now
            return (targets, next?.timeIntervalSince(now))
        } catch {
            logger.warning("crawler cannot claim", metadata: ["error": "\(error)"])
            return ([], 0)
        }
    }

    private func work(_ target: CrawlTarget) async {
        do {
            let result = try await Phase.root("crawl") { try await service.run(target, dryRun: false) }
            logger.debug(
                "crawled",
                metadata: [
                    "service": "\(result.service)", "outcome": "\(result.outcome)", "state": "\(result.state)",
                    "reason": "\(result.reason?.rawValue ?? "-")", "took_ms": "\(result.tookMS)",
                ])
        } catch is CancellationError {
            // The claim runs out and another worker takes over.
        } catch {
            logger.warning("crawl not written", metadata: ["service": "\(target.service)", "error": "\(error)"])
        }
    }

    /// Rows of `crawl status`, by id, after the cursor `after`.
    public func status(
        services: [String], state: CrawlState? = nil, of filter: InstitutionFilter = .everything, after: String?,
        limit: Int
    ) async throws -> [JSONValue] {
        try await store.status(services: services, state: state, of: filter, after: after, limit: limit)
    }

    /// Rows of `crawl history`, newest first, after the cursor `after`.
    public func history(_ service: String, after: Int64?, limit: Int) async throws -> [JSONValue] {
        try await store.history(service, after: after, limit: limit)
    }

    /// The document as discovery would give it; `nil` when there is no such service or no document.
    public func show(_ service: String) async throws -> JSONValue? { try await store.document(service) }

    /// Ids of services that have had no good document since `since`; nobody changes them until the transaction ends.
    public static func failing(since: Date, in transaction: any SQLExecutor) async throws -> [String] {
        try await CrawlStore.failing(since: since, in: transaction)
    }
}
