import Foundation
import Synchronization

/// How much strangers may begin from one address (IPv4, or the /64 of IPv6): what they begin is written down before
/// anybody is known. A school behind one address has room. In the memory of this process, so each replica has its own
/// measure; those whose address is not known share one.
public final class AddressRateLimit: Sendable {
    public let policy: ServiceLimit.Policy
    /// So many at once, then so many a second.
    let burst: Double, rate: Double
    private let buckets = Mutex(BucketTable<String>())

    /// `name` is what `RateLimit` calls it.
    public init(_ name: String = "address", burst: Double, rate: Double) {
        (self.burst, self.rate) = (burst, rate)
        policy = ServiceLimit.Policy(name, burst: burst, rate: rate)
    }

    /// Takes one. `nil`: it was there; otherwise the whole seconds after which it is worth asking again.
    public func take(from address: String?, at now: Date) -> Int? {
        let place = place(address)
        return buckets.withLock { $0.take(place, burst: burst, rate: rate, at: now) }.map { Int($0.rounded(.up)) }
    }

    /// Takes none. `nil`: there is one.
    public func wait(from address: String?, at now: Date) -> Int? {
        let place = place(address)
        return buckets.withLock { $0.wait(place, burst: burst, rate: rate, at: now) }.map { Int($0.rounded(.up)) }
    }

    /// What is told of it to who has to wait so long.
    public func exceeded(_ seconds: Int) -> ServiceLimit { ServiceLimit(policy, remaining: 0, reset: seconds) }

    private func place(_ address: String?) -> String { address.map { IPAddress.network($0) } ?? "" }
}
