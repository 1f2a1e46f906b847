import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// Codes on paper that stand in for a second factor, once each: beside the password, where the account asks for any
/// factor or for a phone. They are no factor by themselves: without another one that the person has set up they let
/// nobody in, and keep nobody from setting one up.
public final class RecoveryCodes: Sendable {
    public static let factor = "recovery"
    /// RFC 8176.
    static let methods = ["otp"]

    public enum Refused: Error, Sendable, Equatable {
        case wrong
        case tooMany(seconds: Int)
        /// Nobody is logged in any more.
        case over
    }

    let database: Database
    let codes: RecoveryCodeStore
    let attempts: AttemptLimit
    let clock: WallClock
    let randomness: Randomness
    private let others: [SecondFactor]

    /// `key`: 32 bytes under which codes are hashed. `others`: the factors for which they stand in.
    public init(database: Database, key: SecretBytes, others: [SecondFactor], clock: WallClock, randomness: Randomness)
    {
        (self.database, self.others, self.clock, self.randomness) = (database, others, clock, randomness)
        (codes, attempts) = (
            RecoveryCodeStore(key: key, clock: clock, randomness: randomness), AttemptLimit(clock: clock)
        )
    }

    /// How many the person has left.
    public func count(of account: UUID) async throws -> Int { try await codes.count(of: account, in: database) }

    /// Whether they would let the person in: there is a factor for which they stand in.
    public func isUseful(to account: UUID) async throws -> Bool {
        try await !SecondFactor.enrolled(others, of: account, in: database).isEmpty
    }

    /// With its notice, where there were any.
    public func remove(
        of session: BrowserSession, _ notices: AccountNotices, _ context: BrowserSessionContext
    ) async throws {
        let account = session.account.id
        try await database.atomically { transaction in
            guard try await codes.count(of: account, in: transaction) > 0 else { return }
            try await codes.remove(of: account, in: transaction)
            try await notices.factorRemoved(Self.factor, from: session.account, in: transaction)
            let entry = AuditEntry(actor: context.actor(), action: "recovery.remove", account: account)
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
        }
    }

    /// New ones in place of the old. Shown now, or never.
    public func make(for session: BrowserSession, _ context: BrowserSessionContext) async throws -> [String] {
        try await database.atomically { transaction in
            guard try await TokenBoundRow.stands(session.lineage, in: transaction) else { throw Refused.over }
            let made = try await codes.replace(of: session.account.id, in: transaction)
            let entry = AuditEntry(actor: context.actor(), action: "recovery.make", account: session.account.id)
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
            return made
        }
    }

    /// Raises the session by a code. Gives its new cookie. Throws `Refused`.
    public func logIn(
        _ code: String, then: String, _ web: WebSide, _ context: BrowserSessionContext
    ) async throws -> String {
        guard let account = context.session?.account.id else { throw Refused.over }
        try await check(code, of: account)
        let attempt = try await web.attempts.open(
            Self.factor, subject: Self.factor, account: account, then: then, browser: context.browser)
        do {
            let cookie = try await web.login.complete(
                account, by: Self.factor, methods: Self.methods, using: attempt, context
            ) { try await self.use(code, of: account, by: context.actor(), in: $0) }
            guard let cookie else { throw Refused.over }
            return cookie
        } catch BrowserLogin.Incomplete.removed {
            throw Refused.wrong
        } catch is BrowserLogin.Incomplete {
            throw Refused.over
        }
    }

    /// Counts the attempt before it looks, whatever the code is.
    private func check(_ code: String, of account: UUID) async throws {
        if let seconds = try await attempts.count([step(account)], in: database) {
            throw Refused.tooMany(seconds: seconds)
        }
        guard try await standsIn(for: account), try await codes.isKept(code, by: account, in: database) else {
            throw Refused.wrong
        }
    }

    /// Whether the account takes codes, and the person has a factor for which they stand in: a code lets in nobody whom
    /// that would not.
    private func standsIn(for account: UUID) async throws -> Bool {
        guard let person = try await AccountStore(clock: clock).find(account, in: database),
            let demand = FactorDemand(person, levels: [.twoFactors], of: others), demand.takes(Self.factor)
        else { return false }
        return try await !demand.enrolled(in: database).isEmpty
    }

    private func use(
        _ code: String, of account: UUID, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> Bool {
        guard try await codes.use(code, of: account, in: transaction) else { return false }
        try await attempts.forgive(step(account), takingBack: [], in: transaction)
        let entry = AuditEntry(actor: actor, action: "recovery.use", account: account)
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
        return true
    }

    private func step(_ account: UUID) -> AttemptLimit.Step {
        AttemptLimit.Step(subject: "recovery \(account.uuidString.lowercased())", free: 5, pause: 60)
    }

    // MARK: As a factor

    /// `button` says what leads to its page.
    public func secondFactor(button: @escaping @Sendable (_ language: String) -> String) -> SecondFactor {
        SecondFactor(
            name: Self.factor, isWhole: false, page: "/login/recovery", enrollmentPage: nil, isOnPasswordPage: true,
            isReserve: true, button: button,
            isEnrolled: { account, executor in
                guard try await self.codes.count(of: account, in: executor) > 0 else { return false }
                return try await !SecondFactor.enrolled(self.others, of: account, in: executor).isEmpty
            },
            begin: { _, _ in (self.randomness.identifier(), ["parameter": "recovery_code"]) },
            progress: { _, account, parameters, asker, _ in
                let actor = AuditActor(name: "instance:\(asker.client)", origin: asker.origin)
                return try await self.progress(try parameters["recovery_code"], account, actor)
            },
            remove: { _, account, _, transaction in try await self.codes.remove(of: account, in: transaction) })
    }

    private func progress(
        _ code: String?, _ account: UUID, _ actor: AuditActor
    ) async throws -> SecondFactor.Progress {
        guard let code else {
            return .failed(OAuthError(.invalidRequest, "recovery_code is missing: send what the person typed"))
        }
        do { try await check(code, of: account) } catch Refused.tooMany(let seconds) {
            return .failed(
                OAuthError(
                    .tooManyAttempts, "too many wrong codes; try again in \(seconds) seconds", retryAfter: seconds))
        } catch is Refused {
            return .failed(OAuthError(.accessDenied, "the recovery code is wrong, or was used"))
        }
        return .done(
            account: account, methods: Self.methods,
            stands: { try await self.use(code, of: account, by: actor, in: $0) })
    }
}
