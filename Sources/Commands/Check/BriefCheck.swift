import Base
import Crawler
import ServiceCheck

/// A check of a service that makes nothing here: what needs nobody's trust, within the time that a request may take.
struct BriefCheck {
    private static let longest = Duration.seconds(15)

    private let settings: CrawlerSettings
    private let loopback: Bool
    private let clock: WallClock

    init(_ settings: CrawlerSettings, loopback: Bool, clock: WallClock) {
        (self.settings, self.loopback, self.clock) = (settings, loopback, clock)
    }

    /// - Parameters:
    ///   - rsd: URL of the document, instead of searching.
    ///   - issuer: whose name forgeries carry.
    ///   - origin: one of web applications that use the service.
    func report(
        on base: String, rsd: String? = nil, issuer: String? = nil, origin: String? = nil
    ) async throws -> CheckReport {
        var options = CheckRun.Options()
        (options.rsd, options.issuer, options.origin) = (rsd, issuer, origin)
        (options.patience, options.longest) = (.zero, BriefCheck.longest)
        return try await CheckRun(settings, loopback: loopback, clock: clock, options: options).run(base, source: nil)
    }
}
