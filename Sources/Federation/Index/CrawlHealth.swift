import Base

/// What the crawler tells and does for whoever administers. A value of closures: the routes stand without the crawler,
/// its HTTP client and its XML parser, and the crawler without them.
public struct CrawlHealth: Sendable {
    public typealias Status =
        @Sendable (_ services: [String], _ state: String?, _ after: String?, _ limit: Int) async throws -> [JSONValue]
    public typealias Crawl = @Sendable (_ service: String, _ dryRun: Bool) async throws -> JSONValue?

    /// The words of crawler.md, "Health".
    public let states: [String]
    public let status: Status
    public let crawl: Crawl

    public init(states: [String], status: @escaping Status, crawl: @escaping Crawl) {
        (self.states, self.status, self.crawl) = (states, status, crawl)
    }
}
