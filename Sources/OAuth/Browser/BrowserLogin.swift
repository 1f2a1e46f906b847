import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// Login in a browser. Every method ends in an `AuthenticationEvent`; here it becomes a session, whatever the method
/// was.
public struct BrowserLogin: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case wrong
        case tooMany(seconds: Int)
        case busy
    }

    /// Why an answer, right as it is, makes no login.
    public enum Incomplete: String, Error, Sendable, CaseIterable {
        /// The account may not log in, or is gone.
        case suspended
        /// Another person answered than the one who was asked.
        case another
        /// The session that was to be raised has ended, or is another person's.
        case over
        /// What answered is that person's no more.
        case removed
    }

    let database: Database
    let store: TokenStore
    let revocation: Revocation
    let passwords: PasswordLogin
    let sessions: SessionStore
    let accounts: AccountStore
    let events: AuthenticationEvents
    let attempts: LoginAttemptStore
    let pushes: PushAllowance
    let notices: AccountNotices
    let clock: WallClock
    let randomness: Randomness

    /// The session behind a cookie.
    public func session(cookie: String?) async throws -> BrowserSession? {
        guard let cookie, cookie.utf8.count <= 128 else { return nil }
        guard let session = try await sessions.find(cookie: cookie, in: database) else { return nil }
        try await sessions.seen(session, in: database)
        return session
    }

    private var refusals: RefusedLogins { RefusedLogins(action: .browser, database: database, clock: clock) }

    /// A new random cookie, for browser or session.
    public func cookie() -> String { randomness.secretText() }

    /// Username and password. Gives the session's new cookie; throws `Refused`.
    public func logIn(username: String, password: String, _ context: BrowserSessionContext) async throws -> String {
        guard (1...255).contains(username.utf8.count), (1...1_024).contains(password.utf8.count) else {
            throw Refused.wrong
        }
        do {
            let owner = try await sessions.knows(context.client, account: username, in: database)
            return try await enter(
                try await passwords.logIn(username: username, password: password, client: context.client, owner: owner),
                context)
        } catch let refused as PasswordLogin.Refused {
            try await refusals.note(refused, by: context.actor())
            if case .tooMany(let seconds, _) = refused { throw Refused.tooMany(seconds: seconds) }
            throw Refused.wrong
        } catch is PasswordHasher.Busy {
            OAuthMetrics.shared.login(["pwd"], outcome: "busy")
            throw Refused.busy
        }
    }

    /// A method that takes its time has its answer: `account` answered, which proved `methods`. Gives the session's new
    /// cookie; `nil` when the attempt was used, replaced or expired meanwhile. Throws `Incomplete`, with a line in the
    /// audit trail; then the attempt is used up.
    ///
    /// An attempt that names a person is a step-up: it goes on in that person's session only, and another person's
    /// answer is nothing to it. `factor` is the second factor that was shown; `stands` whether what answered is still
    /// the person's, asked in the transaction of the login.
    ///
    /// `at` is when the person showed it, where that was before now and at somebody else's. `entered` is told of the
    /// session, in the transaction of the login.
    public func complete(
        _ account: UUID, by factor: String? = nil, methods: [String], at time: Date? = nil,
        using attempt: LoginAttempt, _ context: BrowserSessionContext,
        stands: (any SQLExecutor) async throws -> Bool = { _ in true },
        entered: (_ session: String, any SQLExecutor) async throws -> Void = { _, _ in }
    ) async throws -> String? {
        let cookie = self.cookie()
        return try await database.settling { transaction -> Outcome<String?> in
            guard try await attempts.use(attempt, in: transaction) else { return .done(nil) }
            if let asked = attempt.account {
                guard asked == account else {
                    return try await refused(.another, account, factor, context, in: transaction)
                }
                guard context.session?.account.id == asked else {
                    return try await refused(.over, account, factor, context, in: transaction)
                }
            }
            // Who suspends the account, or takes away what answered, waits for this login.
            guard let person = try await accounts.find(account, locking: true, in: transaction),
                person.status == .active
            else {
                return try await refused(.suspended, account, factor, context, in: transaction)
            }
            guard try await stands(transaction) else {
                return try await refused(.removed, account, factor, context, in: transaction)
            }
            let event = try await events.record(
                person, methods: methods, factor: factor, client: context.client, at: time, in: transaction)
            try await pushes.forgive(person.id, in: transaction)
            if let session = context.session,
                try await renew(event, cookie: cookie, context, in: transaction)
            {
                try await entered(session.id, transaction)
                return .done(cookie)
            }
            guard attempt.account == nil else {
                return try await refused(.over, account, factor, context, in: transaction)
            }
            try await entered(try await begin(event, cookie: cookie, context, in: transaction), transaction)
            return .done(cookie)
        }
    }

    /// An answer lets nobody in, before `complete` was asked. `asked` is who is to answer; `nil`: whoever does.
    public func refuse(_ why: Incomplete, asked: UUID?, _ context: BrowserSessionContext) async throws {
        try await refusals.note(asked, why.rawValue, by: context.actor(), method: "factor")
    }

    /// The answer was right and has its own line: this one says that nobody was let in by it.
    private func refused(
        _ why: Incomplete, _ account: UUID, _ factor: String?, _ context: BrowserSessionContext,
        in transaction: any SQLExecutor
    ) async throws -> Outcome<String?> {
        OAuthMetrics.shared.login([factor ?? "factor"], outcome: why.rawValue)
        let detail: JSONObject = ["why": .string(why.rawValue), "factor": JSONValue(factor)]
        let entry = AuditEntry(
            actor: context.actor().because(why.rawValue), action: "login", account: account, outcome: "refused",
            detail: detail)
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
        return .refused(why)
    }

    /// A login that happened becomes a session: the same person goes on in the same one.
    private func enter(_ event: AuthenticationEvent, _ context: BrowserSessionContext) async throws -> String {
        let cookie = self.cookie()
        return try await database.atomically { transaction in
            if let password = event.password {
                // Who changes the password waits for this login, and ends it; after the change the password that was
                // typed is a wrong one.
                try await store.hold([password], in: transaction)
                guard try await !store.isRevoked(password, in: transaction) else {
                    throw PasswordLogin.Refused.wrong(account: event.account.id, .password)
                }
            }
            if try await !renew(event, cookie: cookie, context, in: transaction) {
                try await begin(event, cookie: cookie, context, in: transaction)
            }
            return cookie
        }
    }

    /// False where the browser has no session of this person, or no more.
    private func renew(
        _ event: AuthenticationEvent, cookie: String, _ context: BrowserSessionContext, in transaction: any SQLExecutor
    ) async throws -> Bool {
        guard let session = context.session, session.account.id == event.account.id,
            try await sessions.renew(session, by: event, cookie: cookie, in: transaction)
        else { return false }
        try await note("login.again", event, session: session.id, context, in: transaction)
        return true
    }

    /// Another session of this browser ends: one browser, one login. Gives the id of the new one.
    @discardableResult
    private func begin(
        _ event: AuthenticationEvent, cookie: String, _ context: BrowserSessionContext, in transaction: any SQLExecutor
    ) async throws -> String {
        if let session = context.session {
            try await revocation.revoke(
                .virtual(Ancestor(.session, session.id)),
                by: context.actor().because("another login in the same browser"), in: transaction)
        }
        let id = randomness.identifier(), person = event.account.id.uuidString.lowercased()
        let opened = try await store.generations(
            of: [.epoch, Ancestor(.account, person), Ancestor(.session, id)], in: transaction)
        let lineage = opened + (event.password.map { [$0] } ?? [])
        // Who suspends the account waits for this login, or this login for them.
        try await store.hold(lineage, in: transaction)
        guard
            try await sessions.begin(
                event, id: id, lineage: lineage, cookie: cookie, device: context.device, origin: context.origin,
                in: transaction)
        else {
            throw DatabaseError.serialization  // Revoked between the two: again, below what is open now.
        }
        // Before the language is noted: whose browser this is, is the question.
        if notices.areSent, try await events.isFromElsewhere(event, client: context.client, in: transaction) {
            try await notices.browserEntered(id, device: context.device, as: event.account, in: transaction)
        }
        try await notices.note(language: context.language, of: event.account.id, in: transaction)
        try await note("login", event, session: id, context, in: transaction)
        return id
    }

    private func note(
        _ action: String, _ event: AuthenticationEvent, session: String, _ context: BrowserSessionContext,
        in transaction: any SQLExecutor
    ) async throws {
        OAuthMetrics.shared.login(event.methods, outcome: "done")
        let actor = context.actor("account:\(event.account.id.uuidString.lowercased())")
        try await AuditTrail.write(
            AuditEntry(
                actor: actor, action: action, node: "session:\(session)", account: event.account.id,
                detail: ["methods": JSONValue(strings: event.methods)]), at: clock.now(), in: transaction)
    }
}
