import Base
import Foundation
import Logging
import Metrics
import Synchronization

/// Refusals that come in floods: each is counted by a metric, and all of a minute are one line of the log, which names
/// who came last. A line for each would help whoever floods.
public final class RefusalTally: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Requests beyond what one address may send.
        case address
        /// Requests beyond what one client may send.
        case client
        /// Requests beyond what tokens of one person may bring.
        case account
        /// Wrong secrets and assertions of clients, beyond those that are looked at.
        case secret
        /// Requests of token endpoints while as many as may be are under way.
        case load
        /// Connections beyond what one address may have, or all.
        case connection
    }

    /// Seconds from one line to the next.
    static let silence: TimeInterval = 60

    private struct Count {
        var number = 0
        var toldAt = Date.distantPast
    }

    private let logger: Logger
    private let clock: WallClock
    private let counts = Mutex<[Kind: Count]>([:])
    private let metrics: [Kind: Counter]

    public init(logger: Logger, clock: WallClock) {
        (self.logger, self.clock) = (logger, clock)
        metrics = Dictionary(
            uniqueKeysWithValues: Kind.allCases.map {
                ($0, Counter(label: "pando_refusals_total", dimensions: [("limit", $0.rawValue)]))
            })
    }

    /// `client` as it names itself.
    public func note(_ kind: Kind, from address: String?, client: String? = nil) {
        metrics[kind]?.increment()
        let now = clock.now()
        let number: Int? = counts.withLock { counts in
            var count = counts[kind] ?? Count()
            count.number += 1
            let isDue = abs(now.timeIntervalSince(count.toldAt)) >= RefusalTally.silence
            let number = count.number
            counts[kind] = isDue ? Count(number: 0, toldAt: now) : count
            return isDue ? number : nil
        }
        guard let number else { return }
        var metadata: Logger.Metadata = [
            "limit": "\(kind.rawValue)", "count": "\(number)", "address": "\(address ?? "unknown")",
        ]
        metadata["client"] = client.map { "\($0)" }
        logger.warning("more was asked than a limit allows", metadata: metadata)
    }
}
