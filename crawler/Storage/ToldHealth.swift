import Base
import Federation

extension Crawler {
    /// For the admin API.
    public var health: CrawlHealth {
        CrawlHealth(
            states: CrawlState.allCases.map(\.rawValue),
            status: { try await self.status(services: $0, state: $1.flatMap(CrawlState.init), after: $2, limit: $3) },
            crawl: { try await self.crawl([$0], dueOnly: false, dryRun: $1).first?.json })
    }
}
