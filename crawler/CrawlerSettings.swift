import Base
import Foundation
import Vocabulary

/// What an operator decides about crawling; the words of the environment are in design/crawler.md.
public struct CrawlerSettings: Sendable {
    /// Ranges that may be asked although they are not global unicast; `deny` wins.
    public var allow: [CIDR]
    public var deny: [CIDR]
    public var resolve: PinnedNames
    /// Services at a time.
    public var concurrency: Int
    /// How long the last good document of a service that fails is shown.
    public var staleMax: TimeInterval
    /// After how long without a good document the last one is deleted; 0 is never.
    public var forgetAfter: TimeInterval
    public var userAgent: String

    public init(
        allow: [CIDR] = [], deny: [CIDR] = [], resolve: PinnedNames = .none, concurrency: Int = 32,
        staleMax: TimeInterval = 7 * 86_400,
        forgetAfter: TimeInterval = 90 * 86_400, userAgent: String = "PandoCrawler/0"
    ) {
        self.allow = allow
        self.deny = deny
        self.resolve = resolve
        self.concurrency = max(1, concurrency)
        (self.staleMax, self.forgetAfter) = (staleMax, forgetAfter)
        self.userAgent = userAgent
    }

    /// Whether a service at `base` may be added without TLS: a literal address in `allow`; a name that the operator
    /// pinned with `resolve`; any name where there is an `allow` at all. Where a name leads is checked at each crawl.
    public func admits(base: String) -> Bool {
        guard let url = try? WebURL(base) else { return false }
        switch url.host {
        case .name(let name): return resolve.pins(name) || !allow.isEmpty
        case .address(let address):
            return allow.contains { $0.contains(address.unmapped) } && !deny.contains { $0.contains(address.unmapped) }
        }
    }
}
