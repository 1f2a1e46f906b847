import Accounts
import Base
import Foundation
import Registration
import Synchronization
import TokenTree
import Vocabulary

/// How many requests tokens of one person may bring, whichever phone or application shows them; in the memory of this
/// process, so each replica has its own measure. Wide: a person has some phones, and each asks every few seconds.
///
/// Only what was shown with its key is counted, so that nobody takes a person's measure by a token without it.
public final class AccountLimit: Sendable {
    /// So many seconds of the rate may come at once.
    private static let seconds = 20.0

    private let rate: Double
    private let exempt: [CIDR]
    private let policy: ServiceLimit.Policy
    private let buckets = Mutex(BucketTable<UUID>())
    private let tally: RefusalTally?
    private let clock: WallClock

    private var burst: Double { rate * AccountLimit.seconds }

    /// `nil` where `rate`, in requests a second, is 0. `exempt`: addresses whose requests are not counted.
    public init?(rate: Int, exempt: [CIDR], tally: RefusalTally?, clock: WallClock) {
        guard rate > 0 else { return nil }
        (self.rate, self.exempt, self.tally, self.clock) = (Double(rate), exempt, tally, clock)
        policy = ServiceLimit.Policy("account", burst: Double(rate) * AccountLimit.seconds, rate: Double(rate))
    }

    /// Whether there is one left, before anything is written for who shows this. Throws `slow_down` (429).
    func look(_ body: TokenBody, _ request: PresentedRequest) throws {
        guard let account = counted(body, request) else { return }
        try require(buckets.withLock { $0.wait(account, burst: burst, rate: rate, at: clock.now()) }, request)
    }

    /// Takes one, of who has shown that the token is theirs. Throws `slow_down` (429).
    func take(_ body: TokenBody, _ request: PresentedRequest) throws {
        guard let account = counted(body, request) else { return }
        try require(buckets.withLock { $0.take(account, burst: burst, rate: rate, at: clock.now()) }, request)
    }

    private func counted(_ body: TokenBody, _ request: PresentedRequest) -> UUID? {
        guard let account = body.account, let read = request.origin.flatMap({ IPAddress($0)?.unmapped }),
            !exempt.contains(where: { $0.contains(read) })
        else { return nil }
        return account
    }

    private func require(_ wait: TimeInterval?, _ request: PresentedRequest) throws {
        guard let seconds = wait.map({ Int($0.rounded(.up)) }) else { return }
        tally?.note(.account, from: request.origin)
        throw OAuthError.exceeded(
            ServiceLimit(policy, remaining: 0, reset: seconds),
            "too many requests came with tokens of this person; try again in \(seconds) seconds"
        ).tallied
    }
}
