import Base
import Database
import Logging
import TokenTree

/// Stores and checks of the PowerAuth side, which both doors of the room work with.
final class PowerAuthServices: Sendable {
    let database: Database
    let clock: WallClock
    let randomness: Randomness
    let vault: SealedColumns
    let applications: ApplicationStore
    let registrations: RegistrationStore
    let keys: RegistrationKeys
    let events: RegistrationEvents
    let trail: RefusalTrail
    let signatures: SignatureCheck
    let tokenRows: PhoneTokenStore
    let tokens: TokenCheck
    let temporary: TemporaryKeys
    let temporaryRate = TemporaryKeyRateLimit()
    let envelopes: EnvelopeOpener
    let sealed: SealedRequestOpener
    let idpCodes: ApprovalPhoneCodes

    init(
        database: Database, master: MasterKey, oneTime: OneTimeStore, events: RegistrationEvents, clock: WallClock,
        randomness: Randomness, logger: Logger
    ) {
        (self.database, self.clock, self.randomness, self.events) = (database, clock, randomness, events)
        vault = SealedColumns(master: master)
        idpCodes = ApprovalPhoneCodes(master: master)
        applications = ApplicationStore(vault: vault, clock: clock, randomness: randomness)
        registrations = RegistrationStore(vault: vault, clock: clock)
        keys = RegistrationKeys(vault: vault)
        trail = RefusalTrail(clock: clock, oneTime: oneTime, logger: logger)
        signatures = SignatureCheck(
            registrations: registrations, applications: applications, keys: keys, events: events, trail: trail)
        tokenRows = PhoneTokenStore(vault: vault, clock: clock, randomness: randomness)
        tokens = TokenCheck(clock: clock, vault: vault, oneTime: oneTime, trail: trail)
        temporary = TemporaryKeys(vault: vault, clock: clock, randomness: randomness)
        sealed = SealedRequestOpener(temporary: temporary, oneTime: oneTime, clock: clock)
        envelopes = EnvelopeOpener(temporary: temporary, oneTime: oneTime, clock: clock, randomness: randomness)
    }
}
