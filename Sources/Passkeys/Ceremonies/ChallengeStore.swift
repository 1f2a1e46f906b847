import Base
import Database
import Foundation

/// What was asked of one session, as it stood when the answer came.
public struct IssuedChallenge: Sendable {
    public let challenge: [UInt8]
    public let account: UUID?
    /// The only one that may answer; `nil`: any.
    public let credential: [UInt8]?
}

/// Rows of `webauthn_challenge` (decisions.md, liquid 12): one a session, a newer takes the place of the older, any
/// answer takes it away.
public struct ChallengeStore: Sendable {
    public enum Purpose: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case liquidRegister = "liquid_register", liquidLogin = "liquid_login", register, login, link
    }

    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// `holder` is a hash of what the browser or wallet alone has.
    public func issue(
        _ purpose: Purpose, holder: [UInt8], account: UUID? = nil, credential: [UInt8]? = nil, lifetime: TimeInterval,
        in executor: any SQLExecutor
    ) async throws -> [UInt8] {
        let challenge = ChallengeStore.draw(randomness), now = clock.now()
        _ = try await executor.execute(
            """
            insert into webauthn_challenge (holder, purpose, challenge, account, credential, created_at, expires_at)
            values (\(holder), \(purpose), \(challenge), \(account), \(credential), \(now),
                \(now.addingTimeInterval(lifetime)))
            on conflict (holder) do update set purpose = excluded.purpose, challenge = excluded.challenge,
                account = excluded.account,
                credential = excluded.credential, created_at = excluded.created_at, expires_at = excluded.expires_at
            """)
        return challenge
    }

    /// Takes the challenge away, and gives it when it was issued for this and has not expired. Of two answers at once
    /// one gets it. Not within the transaction of what follows: a refusal there would bring it back.
    public func consume(_ purpose: Purpose, holder: [UInt8], in database: Database) async throws -> IssuedChallenge? {
        let rows = try await database.query(
            """
            delete from webauthn_challenge c where c.holder = \(holder)
                returning c.purpose, c.challenge, c.account, c.credential, c.expires_at
            """)
        guard let row = rows.first else { return nil }
        let issuedFor: Purpose = try row("purpose"), expiresAt: Date = try row("expires_at")
        guard issuedFor == purpose, expiresAt > clock.now() else { return nil }
        return IssuedChallenge(
            challenge: try row("challenge"), account: try row("account"), credential: try row("credential"))
    }

    /// Deletes what is over.
    public func tidy(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from webauthn_challenge where expires_at <= \(clock.now())")
    }

    /// 32 bytes that no wallet takes for something else to sign (protocols/liquid.md, 1.6).
    public static func draw(_ randomness: Randomness) -> [UInt8] {
        var challenge = randomness.bytes(32)
        for _ in 0..<32 where SigningDomains.claims(challenge) { challenge = randomness.bytes(32) }
        // Never with real randomness. All beginnings are ASCII.
        if SigningDomains.claims(challenge) { challenge[0] |= 0x80 }
        return challenge
    }
}
