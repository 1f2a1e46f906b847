import Foundation
import Synchronization

/// When a worker claims next: at once while there is something to do, else when something has changed or is due.
struct CrawlPace {
    /// From a claim to the next where only few places are free, or something was found and may be again.
    static let step = Duration.seconds(1)
    /// From a claim in vain to the next, however often something changes.
    static let rest = Duration.milliseconds(200)
    /// Where nothing will be due for long. Changes are heard of; this is for clocks that are set meanwhile.
    static let longestNap = Duration.seconds(600)

    /// Places for crawls.
    private(set) var free: Int
    /// Whether changes are heard of.
    var hears = false
    private let places: Int
    private var claimedAt: ContinuousClock.Instant
    private var looksAt: ContinuousClock.Instant
    private var wasInVain = false
    private var isTold = true

    init(places: Int, at now: ContinuousClock.Instant) {
        (self.places, free) = (places, places)
        (claimedAt, looksAt) = (now, now)
    }

    /// A service has changed, or nothing is heard of changes any more.
    mutating func told() { isTold = true }

    mutating func ended() {
        free += 1
        isTold = true
    }

    /// Before it claims: what is told of from now on may come too late for that claim.
    mutating func claims() { isTold = false }

    /// `due`: seconds until there is something, as far as is known; `nil` for never.
    mutating func claimed(_ count: Int, due: TimeInterval?, at now: ContinuousClock.Instant) {
        free -= count
        (claimedAt, wasInVain) = (now, count == 0)
        let nap = due.map { max(CrawlPace.step, min(.seconds($0), CrawlPace.longestNap)) } ?? CrawlPace.longestNap
        looksAt = now + (count > 0 || !hears ? CrawlPace.step : nap)
    }

    /// When to claim, unless something happens before. A quarter of the places is to be free, so that a claim is worth
    /// its while; or a second later whatever is.
    func next(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard free > 0 else { return now + CrawlPace.longestNap }
        guard isTold else { return looksAt }
        let pause: Duration = free < max(1, places / 4) ? CrawlPace.step : wasInVain ? CrawlPace.rest : .zero
        return min(looksAt, claimedAt + pause)
    }
}

/// One worker's, for all its tasks.
final class SharedCrawlPace: Sendable {
    private let pace: Mutex<CrawlPace>

    init(_ pace: CrawlPace) { self.pace = Mutex(pace) }

    func withLock<Value: Sendable>(_ body: (inout CrawlPace) -> Value) -> Value { pace.withLock { body(&$0) } }
}
