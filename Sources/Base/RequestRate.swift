import Foundation
import Synchronization

/// How many requests may come in each name: so many a second, and those of twenty seconds at once. In the memory of
/// this process, so each replica has its own measure.
public final class RequestRate<Name: Hashable & Sendable>: Sendable {
    private let rate: Double
    private let burst: Double
    private let policy: ServiceLimit.Policy
    private let buckets = Mutex(BucketTable<Name>())
    private let clock: WallClock

    /// `policy`: what the limit is called in `RateLimit`. `nil` where `rate`, in requests a second, is 0.
    public init?(_ policy: String, rate: Int, clock: WallClock) {
        guard rate > 0 else { return nil }
        (self.rate, burst, self.clock) = (Double(rate), Double(rate) * 20, clock)
        self.policy = ServiceLimit.Policy(policy, burst: burst, rate: self.rate)
    }

    /// The limit where none is left, and nothing is taken.
    public func look(_ name: Name) -> ServiceLimit? {
        exceeded(buckets.withLock { $0.wait(name, burst: burst, rate: rate, at: clock.now()) })
    }

    /// `nil` when one was taken, otherwise the limit.
    public func take(_ name: Name) -> ServiceLimit? {
        exceeded(buckets.withLock { $0.take(name, burst: burst, rate: rate, at: clock.now()) })
    }

    private func exceeded(_ wait: TimeInterval?) -> ServiceLimit? {
        wait.map { ServiceLimit(policy, remaining: 0, reset: Int($0.rounded(.up))) }
    }
}
