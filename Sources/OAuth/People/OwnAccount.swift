import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree
import Vocabulary

/// The account page: what a person's phones, applications and browsers may do, and how to revoke it.
public final class OwnAccount: Sendable {
    public struct Overview: Sendable {
        public let account: Account
        public let instances: [AppInstance]
        public let applications: [ConsentStore.Given]
        public let sessions: [(session: BrowserSession, clients: [String])]
    }

    public enum PasswordRefused: Error, Sendable, Equatable {
        case wrong
        case unacceptable(PasswordRule.Refusal)
        case tooMany(seconds: Int)
        case busy
    }

    let database: Database
    let instances: InstanceStore
    let consents: ConsentStore
    let sessions: SessionStore
    let accounts: AccountStore
    let passwords: PasswordLogin
    let hasher: PasswordHasher
    let rule: PasswordRule
    let change: ChangePassword
    let notices: AccountNotices
    let revocation: Revocation
    let clock: WallClock

    init(
        database: Database, instances: InstanceStore, consents: ConsentStore, sessions: SessionStore,
        accounts: AccountStore, passwords: PasswordLogin, hasher: PasswordHasher, rule: PasswordRule,
        change: ChangePassword, notices: AccountNotices, revocation: Revocation, clock: WallClock
    ) {
        self.notices = notices
        (self.database, self.instances, self.consents, self.sessions) = (database, instances, consents, sessions)
        (self.accounts, self.passwords, self.hasher, self.rule) = (accounts, passwords, hasher, rule)
        (self.change, self.revocation, self.clock) = (change, revocation, clock)
    }

    public func overview(_ session: BrowserSession) async throws -> Overview {
        let account = session.account.id
        // The newest of too many, in the order in which they came.
        let names = try await database.query(
            """
            select sc.session, c.name from session_client sc join client c on c.id = sc.client
                join browser_session s on s.id = sc.session
            where s.account = \(account) order by sc.first_at desc limit 1000
            """)
        var clients: [String: [String]] = [:]
        for row in names.reversed() { clients[try row("session"), default: []].append(try row("name")) }
        return Overview(
            account: session.account,
            instances: try await instances.list(
                InstanceFilter(account: account, status: "live", limit: 1_000), in: database),
            applications: try await consents.list(of: account, in: database),
            sessions: try await sessions.list(of: account, in: database).map { ($0, clients[$0.id] ?? []) }
        )
    }

    /// Ends everything that a client holds of this person, or is about to; what was agreed is forgotten. Whether
    /// anything was agreed does not matter: what hangs from the grant ends with it.
    public func withdraw(_ client: String, _ session: BrowserSession, _ context: BrowserSessionContext) async throws {
        try await withdraw(client, of: session.account.id, by: context.actor().because("consent withdrawn"))
    }

    func withdraw(_ client: String, of account: UUID, by actor: AuditActor) async throws {
        try await database.atomically { transaction in
            let isAgreed = try await consents.withdraw(account, client, in: transaction)
            let revoked = try await revocation.revoke(
                .virtual(ConsentStore.node(account, client)), by: actor, in: transaction)
            let hasEnded = revoked.revokedAt != nil && !revoked.already
            guard isAgreed || hasEnded else { throw OAuthError(.notFound, "no such application of yours") }
            let entry = AuditEntry(
                actor: actor, action: "consent.withdraw", account: account, detail: ["client": .string(client)])
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
        }
    }

    /// Ends one of this person's browser sessions.
    public func end(_ id: String, _ session: BrowserSession, _ context: BrowserSessionContext) async throws {
        guard try await sessions.isLive(id, of: session.account.id, in: database) else {
            throw OAuthError(.notFound, "no such session of yours")
        }
        try await revocation.revoke(.virtual(Ancestor(.session, id)), by: context.actor().because("ended by its owner"))
    }

    /// A new password ends what the old one opened: other browsers, and what apps hold since a login by it. This
    /// browser stays, and so do app instances.
    public func changePassword(
        current: String, to new: String, _ session: BrowserSession, _ context: BrowserSessionContext
    ) async throws {
        let typed: AuthenticationEvent
        do {
            typed = try await passwords.logIn(
                username: session.account.username, password: current, client: context.client, owner: session.account.id
            )
        } catch let refused as PasswordLogin.Refused {
            try await RefusedLogins(action: .password, database: database, clock: clock).note(
                refused, by: context.actor())
            if case .tooMany(let seconds, _) = refused { throw PasswordRefused.tooMany(seconds: seconds) }
            throw PasswordRefused.wrong
        } catch is PasswordHasher.Busy {
            throw PasswordRefused.busy
        }
        guard typed.password != nil else {
            throw OAuthError(.forbidden, "this password is your institution's: change it there")
        }
        do {
            try rule.check(new, names: session.account.names)
        } catch let refusal as PasswordRule.Refusal {
            throw PasswordRefused.unacceptable(refusal)
        }
        let hash = try await hasher.hash(new)
        let actor = context.actor()
        try await database.atomically { transaction in
            let ended = try await change.set(
                hash, of: session.account.id, replacing: typed.password, keeping: session,
                by: actor.because("password changed"),
                in: transaction)
            guard ended != nil else { throw PasswordRefused.wrong }
            try await AuditTrail.write(
                AuditEntry(actor: actor, action: "password", account: session.account.id), at: clock.now(),
                in: transaction)
            try await notices.passwordChanged(of: session.account, in: transaction)
        }
    }
}
