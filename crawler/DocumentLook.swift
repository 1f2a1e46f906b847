import Base
import Foundation
import NIOSSL
import Vocabulary

/// Reads what a service publishes as a crawl would, without an index: for who checks a service, entered or not.
public struct DocumentLook: Sendable {
    private let visit: ServiceVisit
    private let loopback: Bool

    public init(_ settings: CrawlerSettings, loopback: Bool, clock: WallClock) {
        self.init(settings, loopback: loopback, clock: clock, tls: nil)
    }

    /// - Parameter tls: whom to trust; `nil` is whom this machine does.
    init(_ settings: CrawlerSettings, loopback: Bool, clock: WallClock, tls: NIOSSLContext?) {
        var policy = FetchPolicy(
            addresses: AddressPolicy(allow: settings.allow, deny: settings.deny), userAgent: settings.userAgent)
        policy.tls = tls
        visit = ServiceVisit(
            policy: policy, resolver: .system(pins: settings.resolve), gate: HostGate(), schedule: .random,
            staleMax: settings.staleMax, clock: clock)
        self.loopback = loopback
    }

    /// Where a service's tokens are exchanged, by its document: below its base, whatever that says.
    public static func tokenEndpoint(of document: ServiceDocument, base: String) -> String {
        ServiceEndpoints(document, base: base).token
    }

    /// As `crawl run --dry-run` tells it, with each request.
    /// - Parameter rsd: the document's URL, instead of searching.
    /// - Throws: when the task is cancelled; trouble with the service is a result.
    public func read(base: String, rsd: String? = nil) async throws -> CrawlResult {
        let target = CrawlTarget(base: base, rsd: rsd, allowsLoopback: loopback), began = ContinuousClock.now
        let reading = try await visit.read(target, now: visit.clock.now())
        let took = Int((ContinuousClock.now - began) / .milliseconds(1))
        return reading.verdict.result(of: target, reading, isDryRun: true, tookMS: took)
    }
}
