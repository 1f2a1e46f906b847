import Base
import Database
import Foundation
import Logging
import WebAuthn

/// What the flows of people's passkeys share.
final class PasskeyServices: Sendable {
    let database: Database
    /// Whom people's passkeys are for.
    let party: RelyingParty
    /// Seconds for an answer.
    let timeout: TimeInterval
    let clock: WallClock
    let randomness: Randomness
    let logger: Logger

    init(
        database: Database, party: RelyingParty, timeout: TimeInterval, clock: WallClock, randomness: Randomness,
        logger: Logger
    ) {
        (self.database, self.party, self.timeout, self.clock) = (database, party, timeout, clock)
        (self.randomness, self.logger) = (randomness, logger)
    }

    var challenges: ChallengeStore { ChallengeStore(clock: clock, randomness: randomness) }
    var passkeys: PasskeyStore { PasskeyStore(clock: clock) }

    /// Tells the log which check it was; gives the refusal back.
    func noted(_ refusal: PasskeyRefusal, _ what: String) -> PasskeyRefusal {
        logger.info("a passkey was refused", metadata: ["what": "\(what)", "step": "\(refusal.explain)"])
        return refusal
    }
}
