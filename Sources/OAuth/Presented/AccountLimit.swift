import Accounts
import Base
import Foundation
import Registration
import TokenTree
import Vocabulary

/// How many requests tokens of one person may bring, whichever phone or application shows them. Wide: a
/// person has some phones, and each asks every few seconds.
///
/// Only what was shown with its key is counted, so that nobody takes a person's measure by a token without it.
public final class AccountLimit: Sendable {
    private let rate: RequestRate<UUID>
    private let exempt: [CIDR]
    private let tally: RefusalTally?

    /// `nil` where `rate`, in requests a second, is 0. `exempt`: addresses whose requests are not counted.
    public init?(rate: Int, exempt: [CIDR], tally: RefusalTally?, clock: WallClock) {
        guard let rate = RequestRate<UUID>("account", rate: rate, clock: clock) else { return nil }
        (self.rate, self.exempt, self.tally) = (rate, exempt, tally)
    }

    /// Whether there is one left, before anything is written for who shows this. Throws `slow_down` (429).
    func look(_ body: TokenBody, _ request: PresentedRequest) throws {
        try refuse(counted(body, request).flatMap(rate.look), request)
    }

    /// Takes one, of who has shown that the token is theirs. Throws `slow_down` (429).
    func take(_ body: TokenBody, _ request: PresentedRequest) throws {
        try refuse(counted(body, request).flatMap(rate.take), request)
    }

    private func counted(_ body: TokenBody, _ request: PresentedRequest) -> UUID? {
        body.account.flatMap { exempt.unlisted(request.origin) == nil ? nil : $0 }
    }

    private func refuse(_ limit: ServiceLimit?, _ request: PresentedRequest) throws {
        guard let limit else { return }
        tally?.note(.account, from: request.origin)
        throw OAuthError.exceeded(
            limit, "too many requests came with tokens of this person; try again in \(limit.reset) seconds"
        ).tallied
    }
}
