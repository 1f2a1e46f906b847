import Base
import Crawler

extension CrawlerSettings {
    /// From the `crawler-…` settings.
    public init(_ settings: Settings, version: String) throws {
        guard let allow = CIDR.list(settings.crawlerAllow), let deny = CIDR.list(settings.crawlerDeny) else {
            throw Settings.Unacceptable(
                description: "crawler-allow, crawler-deny: write CIDRs with commas, e.g. 10.1.0.0/16,fd00::/8")
        }
        guard let pins = PinnedNames(settings.crawlerResolve) else {
            throw Settings.Unacceptable(description: "crawler-resolve: write name=address, with commas between names")
        }
        self.init(
            allow: allow, deny: deny, resolve: pins, concurrency: settings.crawlerConcurrency,
            staleMax: settings.crawlerStaleMax,
            forgetAfter: settings.crawlerForget, userAgent: "PandoCrawler/\(version) (+\(settings.root))")
    }
}
