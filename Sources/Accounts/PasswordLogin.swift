import Base
import Database
import Foundation

/// Username and password.
public struct PasswordLogin: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        /// Wrong password, unknown or suspended account: one answer for all. `account` is whose name was typed, for the audit trail; `nil`: nobody's.
        case wrong(account: UUID?, Cause)
        case tooMany(retryAfter: Int, account: UUID?)
    }

    public enum Cause: String, Sendable { case password = "wrong_password", suspended }

    let database: Database
    let hasher: PasswordHasher
    let accounts: AccountStore
    let attempts: AttemptLimit
    let clock: WallClock

    public init(database: Database, hasher: PasswordHasher, clock: WallClock) {
        (self.database, self.hasher, self.clock) = (database, hasher, clock)
        (accounts, attempts) = (AccountStore(clock: clock), AttemptLimit(clock: clock))
    }

    /// `client` is the instance (or browser client) that asks: attempts count per account with it, and for it as a whole. Attempts from all clients
    /// together count as well, except from the one whose `owner` the account is: strangers cannot lock people out of their own phones.
    public func logIn(username: String, password: String, client: String, owner: UUID?) async throws -> AuthenticationEvent {
        let name = username.lowercased()
        let known = try await accounts.credentials(username, in: database)
        let pair = AttemptLimit.Step(subject: "login \(name) \(client)", free: 10, pause: 30)
        var others = [AttemptLimit.Step(subject: "login * \(client)", free: 30, pause: 30)]
        if owner == nil || owner != known?.0.id { others.append(AttemptLimit.Step(subject: "login \(name) *", free: 100, pause: 1)) }
        if let seconds = try await attempts.count([pair] + others, in: database) { throw Refused.tooMany(retryAfter: seconds, account: known?.0.id) }
        let matches = try await hasher.verify(password, known?.1)
        guard matches, let account = known?.0, account.status == .active else {
            throw Refused.wrong(account: known?.0.id, matches ? .suspended : .password)
        }
        try await attempts.forgive(pair, takingBack: others, in: database)
        return try await AuthenticationEvents(clock: clock).record(account, methods: ["pwd"], client: client, in: database)
    }
}
