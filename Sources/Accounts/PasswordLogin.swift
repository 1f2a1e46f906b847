import Base
import Database
import Foundation
import Traces

/// Username and password.
public struct PasswordLogin: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        /// Wrong password, unknown or suspended account: one answer for all. `account` is whose name was typed, for the
        /// audit trail; `nil`: nobody's.
        case wrong(account: UUID?, Cause)
        case tooMany(retryAfter: Int, account: UUID?)
    }

    public enum Cause: String, Sendable { case password = "wrong_password", suspended }

    /// Opens `password:ACCOUNT` in the token tree where it is not open. Given by the composition: that floor is not
    /// below this one.
    public typealias Opening = @Sendable (_ account: UUID) async throws -> Void

    let database: Database
    let hasher: PasswordHasher
    let open: Opening
    let accounts: AccountStore
    let attempts: AttemptLimit
    let clock: WallClock
    let directories: [PasswordDirectory]

    /// `directories` are asked first, in their order.
    public init(
        database: Database, hasher: PasswordHasher, clock: WallClock, directories: [PasswordDirectory] = [],
        open: @escaping Opening
    ) {
        self.directories = directories
        (self.database, self.hasher, self.clock, self.open) = (database, hasher, clock, open)
        (accounts, attempts) = (AccountStore(clock: clock), AttemptLimit(clock: clock))
    }

    /// `client` is the instance (or browser client) that asks: attempts count per account with it, and for it as a
    /// whole. Attempts from all clients together count as well, except from the one whose `owner` the account is:
    /// strangers cannot lock people out of their own phones.
    public func logIn(
        username: String, password: String, client: String, owner: UUID?
    ) async throws -> AuthenticationEvent {
        let known = try await accounts.credentials(username, in: database)
        let name = known?.account.id.uuidString.lowercased() ?? Username.nobody(username)
        let pair = AttemptLimit.Step(subject: "login \(name) \(client)", free: 10, pause: 30)
        var others = [AttemptLimit.Step(subject: "login * \(client)", free: 30, pause: 30)]
        if owner == nil || owner != known?.account.id {
            others.append(AttemptLimit.Step(subject: "login \(name) *", free: 100, pause: 1))
        }
        if let seconds = try await attempts.count([pair] + others, in: database) {
            throw Refused.tooMany(retryAfter: seconds, account: known?.account.id)
        }
        if let event = try await elsewhere(username, password, client: client, pair, others) { return event }
        let matches: Bool
        do { matches = try await hasher.verify(password, known?.hash) } catch let busy as PasswordHasher.Busy {
            // Nobody looked at it, so a flood of others' logins makes no right password a wrong one.
            try await attempts.takeBack([pair] + others, in: database)
            throw busy
        }
        guard matches, let known, known.account.status == .active else {
            throw Refused.wrong(account: known?.account.id, matches ? .suspended : .password)
        }
        guard let generation = try await generation(of: known) else {
            throw Refused.wrong(account: known.account.id, .password)
        }
        try await attempts.forgive(pair, takingBack: others, in: database)
        return try await AuthenticationEvents(clock: clock).record(
            known.account, methods: ["pwd"], password: generation, client: client, in: database)
    }

    /// A password that a directory knows: no node of ours stands for it, so nothing ends when it is changed there. That
    /// a directory is away counts as no attempt.
    private func elsewhere(
        _ username: String, _ password: String, client: String, _ pair: AttemptLimit.Step,
        _ others: [AttemptLimit.Step]
    ) async throws -> AuthenticationEvent? {
        for directory in directories {
            let account: Account?
            do {
                account = try await Phase.run("ask a directory", .client) {
                    try await directory.account(username, password)
                }
            } catch {
                // Not forgiven: whoever keeps the directory busy would guess without end.
                try await attempts.takeBack([pair] + others, in: database)
                throw error
            }
            guard let account else { continue }
            guard account.status == .active else { throw Refused.wrong(account: account.id, .suspended) }
            try await attempts.forgive(pair, takingBack: others, in: database)
            return try await AuthenticationEvents(clock: clock).record(
                account, methods: ["pwd"], client: client, in: database)
        }
        return nil
    }

    /// The node of the password that was typed; `nil` when it was changed since. A change opens the node and revokes it
    /// in its transaction, so whoever opens it here comes before, and is revoked, or after, and reads another hash.
    private func generation(of typed: Credentials) async throws -> NodeID? {
        if let generation = typed.generation { return generation }
        try await open(typed.account.id)
        let now = try await accounts.credentials(typed.account.username, in: database)
        return now?.hash.encoded == typed.hash.encoded ? now?.generation : nil
    }
}
