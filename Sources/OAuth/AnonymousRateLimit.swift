import Base
import Foundation
import Vocabulary

/// How much somebody may begin at the IdP before anybody is known: each beginning is a row, or several, until
/// housekeeping takes it away within the hour. Counted by address (`AddressRateLimit`); whoever is logged in, and
/// clients that authenticate, are not strangers.
public struct AnonymousRateLimit: Sendable {
    public enum Kind: Sendable {
        /// A request of an application, be it pushed or for a device, or a password: a row or three.
        case request
        /// A login by phone or passkey: rows in several rooms, and a phone may be asked.
        case login
    }

    private let requests = AddressRateLimit("begun", burst: 1_000, rate: 10)
    private let logins = AddressRateLimit("logins", burst: 400, rate: 2)
    let clock: WallClock

    init(clock: WallClock) { self.clock = clock }

    /// Throws `slow_down` (429) with the seconds to wait.
    public func take(_ kind: Kind, from address: String?) throws {
        let pace =
            switch kind {
            case .request: requests
            case .login: logins
            }
        guard let seconds = pace.take(from: address, at: clock.now()) else { return }
        throw OAuthError.exceeded(
            pace.exceeded(seconds), "too much was begun from your address; try again in \(seconds) seconds")
    }
}
