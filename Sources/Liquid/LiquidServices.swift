import Base
import Database
import Foundation
import Logging
import Passkeys
import TokenTree

/// What the flows of the room share.
final class LiquidServices: Sendable {
    let settings: LiquidSettings
    let store: TokenStore
    let revocation: Revocation
    let signals: SessionSignals
    let clock: WallClock
    let randomness: Randomness
    let logger: Logger
    let cookies: SessionCookies
    let sessions: LiquidSessionStore
    let challenges: ChallengeStore
    let passkeys: PasskeyStore
    let wallets: WalletStore
    let pairings: PairingStore
    let authority: SigningAuthority
    let pace = CeremonyRateLimit()
    let iceServers: ICEServers
    var database: Database { store.database }

    init(
        store: TokenStore, revocation: Revocation, master: MasterKey, settings: LiquidSettings, algod: Algod?,
        signals: SessionSignals, clock: WallClock,
        randomness: Randomness, logger: Logger
    ) {
        (self.settings, self.store, self.revocation, self.signals) = (settings, store, revocation, signals)
        (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
        cookies = SessionCookies(master: master)
        sessions = LiquidSessionStore(
            store: store, revocation: revocation, cookies: cookies, lifetime: settings.sessionLifetime, clock: clock,
            randomness: randomness)
        challenges = ChallengeStore(clock: clock, randomness: randomness)
        passkeys = PasskeyStore(clock: clock)
        wallets = WalletStore(clock: clock, randomness: randomness)
        pairings = PairingStore(store: store, clock: clock, randomness: randomness)
        authority = SigningAuthority(algod: algod)
        iceServers = ICEServers(settings.relays)
    }

    /// Anybody can be refused as often as they like: the log knows which check it was, the audit trail does not.
    func refuse(_ refusal: LiquidRefusal, _ what: String) -> LiquidRefusal {
        if case .verificationFailed(let step) = refusal {
            logger.info("a wallet was refused", metadata: ["what": "\(what)", "step": "\(step)"])
        }
        return refusal
    }
}
