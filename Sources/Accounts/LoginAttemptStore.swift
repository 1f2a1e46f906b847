import Base
import Database
import Foundation

/// Rows of `login_attempt`. An attempt belongs to the browser that opened it; to every other it does not exist.
public struct LoginAttemptStore: Sendable {
    /// Seconds from the opening, or from the last renewal, to the answer.
    public static let lifetime: TimeInterval = 900
    /// From the opening to the end, however often it is renewed: anybody can open one.
    static let longest: TimeInterval = 3_000
    /// Attempts of one method that one browser can have open; the oldest go. Those of other methods stay: who looks at
    /// each door keeps what they began.
    static let most = 20

    let database: Database
    let clock: WallClock
    let randomness: Randomness

    public init(database: Database, clock: WallClock, randomness: Randomness) {
        (self.database, self.clock, self.randomness) = (database, clock, randomness)
    }

    /// `browser` is the cookie that every browser is given; `then` a path of ours, checked by the caller.
    public func open(
        _ method: String, subject: String, account: UUID?, then: String, browser: String
    ) async throws -> LoginAttempt {
        let reference = randomness.secretText(), now = clock.now(), owner = Digest.sha256(browser)
        let attempt = LoginAttempt(
            reference: reference, method: method, subject: subject, account: account, then: then, startedAt: now,
            expiresAt: now.addingTimeInterval(LoginAttemptStore.lifetime))
        _ = try await database.execute(
            """
            with gone as (
                delete from login_attempt where reference in (
                    select l.reference from login_attempt l where l.browser = \(owner) and l.method = \(method)
                    order by l.started_at desc, l.reference offset \(LoginAttemptStore.most - 1))
            )
            insert into login_attempt (reference, method, subject, account, browser, goes_on, started_at, expires_at)
            values (\(Digest.sha256(reference)), \(method), \(subject), \(account), \(owner), \(then), \(now),
                \(attempt.expiresAt))
            """)
        return attempt
    }

    /// `nil`: unknown, of another browser or method, used, or expired.
    public func find(_ reference: String, method: String, browser: String) async throws -> LoginAttempt? {
        guard reference.utf8.count <= 128 else { return nil }
        return try await database.query(
            """
            select \(LoginAttempt.columns) from login_attempt l
            where l.reference = \(Digest.sha256(reference)) and l.method = \(method)
                and l.browser = \(Digest.sha256(browser)) and l.expires_at > \(clock.now())
            """
        ).first.map { try LoginAttempt($0, reference: reference) }
    }

    /// Goes on with another subject, for another 15 minutes and 50 in all; false when the attempt was used or replaced
    /// meanwhile.
    public func replace(_ attempt: LoginAttempt, subject: String, account: UUID?) async throws -> Bool {
        let now = clock.now()
        return try await database.execute(
            """
            update login_attempt l set subject = \(subject), account = \(account),
                expires_at = least(\(now.addingTimeInterval(LoginAttemptStore.lifetime))::timestamptz,
                    l.started_at + \(LoginAttemptStore.longest) * interval '1 second')
            where \(isStill(attempt, at: now))
            """) == 1
    }

    /// Of all that complete an attempt, one does: true for it. Completes nothing but what was found: a subject replaced
    /// meanwhile is another.
    public func use(_ attempt: LoginAttempt, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute("delete from login_attempt l where \(isStill(attempt, at: clock.now()))") == 1
    }

    /// Drops what nobody can complete any more.
    public func forget() async throws {
        _ = try await database.execute("delete from login_attempt where expires_at < \(clock.now())")
    }

    private func isStill(_ attempt: LoginAttempt, at now: Date) -> SQL {
        """
        l.reference = \(Digest.sha256(attempt.reference)) and l.method = \(attempt.method) and l.subject = \
        \(attempt.subject)
        and l.account is not distinct from \(attempt.account)::uuid and l.expires_at > \(now)
        """
    }
}
