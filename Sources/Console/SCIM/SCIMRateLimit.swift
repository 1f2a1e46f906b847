import Base
import Foundation
import OAuth
import Synchronization
import Vocabulary

/// How much one directory may ask for: a first load goes through, and who asks without end leaves room for others. In
/// the memory of this process.
final class SCIMRateLimit: Sendable {
    /// So many operations at once, then so many a second.
    private static let burst = 5_000.0, rate = 1_000.0
    private let buckets = Mutex(BucketTable<String>())

    func take(_ operations: Int, for client: DirectoryClient, at now: Date) throws {
        let wait = buckets.withLock {
            $0.take(client.client, Double(operations), burst: Self.burst, rate: Self.rate, at: now)
        }
        guard let wait else { return }
        let seconds = Int(wait.rounded(.up))
        let policy = ServiceLimit.Policy("scim", burst: Self.burst, rate: Self.rate)
        throw OAuthError.exceeded(
            ServiceLimit(policy, remaining: 0, reset: seconds),
            "this client asked too often; try again in \(seconds) seconds")
    }
}
