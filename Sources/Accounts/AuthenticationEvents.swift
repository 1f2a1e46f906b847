import Base
import Database
import Foundation

/// Proof that a person logged in: what every login method writes and the rest of the server reads.
public struct AuthenticationEvent: Sendable {
    public let id: UUID
    public let account: Account
    /// RFC 8176 `amr` values that this one answer proved: `pwd`; `mfa` and `swk` for a phone with its PIN, `user`
    /// besides for a passkey; `swk` and `user` for a wallet's.
    public let methods: [String]
    public let at: Date
    /// The generation of `password:ACCOUNT` that opened this login: what it begins ends when the password is changed.
    /// `nil` where none was typed.
    public let password: NodeID?
}

/// Rows of `authentication_event`.
public struct AuthenticationEvents: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// `client` is the instance, or the browser as `BrowserSessionContext` names it; `factor` the second factor that
    /// was shown. That the account may log in is the caller's to have checked. `time` is when it was shown, where that
    /// was before now.
    public func record(
        _ account: Account, methods: [String], factor: String? = nil, password: NodeID? = nil, client: String,
        at time: Date? = nil, in executor: any SQLExecutor
    ) async throws -> AuthenticationEvent {
        let event = AuthenticationEvent(
            id: Randomness.system.uuid(), account: account, methods: methods, at: time ?? clock.now(),
            password: password)
        _ = try await executor.execute(
            """
            insert into authentication_event (id, account, methods, factor, client, at)
            values (\(event.id), \(account.id), \(event.methods), \(factor), \(client), \(event.at))
            """)
        return event
    }

    /// The second factors that somebody showed, the one of now first: in the browser of `session` before elsewhere,
    /// lately before long ago. Of the last hundred logins, which is enough to know a habit by.
    public static func factorsByUse(
        of account: UUID, session: String?, in executor: any SQLExecutor
    ) async throws -> [String] {
        try await executor.query(
            """
            select e.factor from (
                select x.factor, x.client, x.at from authentication_event x
                where x.account = \(account) order by x.at desc limit 100
            ) e
            where e.factor is not null group by e.factor
            order by max(e.at) filter (where e.client in (
                select s.client from authentication_event s where s.session = \(session))) desc nulls last,
                max(e.at) desc, e.factor
            """
        ).map { try $0("factor") }
    }

    /// Whether a login came from where nobody had logged in to that account before, though somebody had elsewhere: as
    /// far back as events are known (`SessionStore.memory`).
    public func isFromElsewhere(
        _ event: AuthenticationEvent, client: String, in executor: any SQLExecutor
    ) async throws -> Bool {
        let others: SQL = "e.account = \(event.account.id) and e.id <> \(event.id)"
        return try await !executor.query(
            """
            select where exists (select from authentication_event e where \(others))
                and not exists (select from authentication_event e where e.client = \(client) and \(others))
            """
        ).isEmpty
    }

    /// Whether this client completed a login of this account by `method` before: then it is no stranger to it.
    public func hasCompleted(
        _ method: String, client: String, account: UUID, in executor: any SQLExecutor
    ) async throws -> Bool {
        try await !executor.query(
            """
            select e.id from authentication_event e where e.client = \(client) and e.account = \(account)
                and e.methods @> array[\(method)::text] limit 1
            """
        ).isEmpty
    }
}
