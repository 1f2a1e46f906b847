import Base
import Foundation
import Synchronization

/// How many temporary keys of application scope are given in protocol 4, where each is a row for five minutes and all
/// that asking takes stands in every app's binary. Counted for each application and address (IPv4, or the /64 of IPv6),
/// so that who asks without end leaves room for others; and for each application, so that many addresses fill no disk.
/// In the memory of this process.
final class TemporaryKeyRateLimit: Sendable {
    /// From one address at once, then a second: a bank's hall behind one address activates.
    static let burst = 400.0, rate = 2.0
    /// Of one application. So no more than 50,000 of its rows stand at any time.
    static let burstOfAll = 20_000.0, rateOfAll = 100.0

    /// After so many whole seconds it is worth asking again.
    struct Exceeded: Error, Equatable { let seconds: Int }

    private let addresses = Mutex(BucketTable<String>()), applications = Mutex(BucketTable<String>())

    init() {}

    /// Takes one. Those whose address is not known share one measure.
    func take(_ application: String, from address: String?, at now: Date) throws(Exceeded) {
        let place = application + " " + (address.map { IPAddress.network($0) } ?? "")
        let wait =
            addresses.withLock {
                $0.take(place, burst: TemporaryKeyRateLimit.burst, rate: TemporaryKeyRateLimit.rate, at: now)
            }
            ?? applications.withLock {
                $0.take(
                    application, burst: TemporaryKeyRateLimit.burstOfAll, rate: TemporaryKeyRateLimit.rateOfAll,
                    at: now)
            }
        if let wait { throw Exceeded(seconds: Int(wait.rounded(.up))) }
    }
}
