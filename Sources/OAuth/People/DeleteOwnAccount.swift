import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree
import Vocabulary

/// A person deletes their own account, where the federation lets them: in a browser with their password, in an app with
/// a login of the last five minutes. It does what `accounts delete` does (`AccountRemoval`), in one transaction.
public final class DeleteOwnAccount: Sendable {
    /// Who deletes accounts (`account-deletion`).
    public enum Policy: String, Sendable, CaseIterable {
        case byPerson = "self"
        case byOperator = "operator"
    }

    /// What a deletion did.
    public struct Departure: Sendable {
        /// How many services were told.
        public let services: Int
        /// How many things of products went, by what these call them.
        public let counts: JSONObject
        public let at: Date

        public var json: JSONValue {
            var members: JSONObject = ["deleted_at": .string(at.rfc3339), "services_told": .integer(services)]
            for (name, count) in counts { members[name] = count }
            return .object(members)
        }
    }

    /// Seconds since the login behind a token that deletes its account.
    static let freshness = 300

    public let policy: Policy
    let database: Database
    let store: TokenStore
    let passwords: PasswordLogin
    let accounts: AccountStore
    let factors: [SecondFactor]
    let removal: AccountRemoval
    let clock: WallClock

    public init(
        _ policy: Policy, store: TokenStore, passwords: PasswordLogin, factors: [SecondFactor],
        removal: AccountRemoval, clock: WallClock
    ) {
        (self.policy, self.store, self.passwords, self.factors) = (policy, store, passwords, factors)
        (self.removal, self.clock, database, accounts) = (removal, clock, store.database, AccountStore(clock: clock))
    }

    /// Throws 403 `forbidden` where operators delete accounts.
    public func check() throws {
        guard policy == .byPerson else {
            throw OAuthError(.forbidden, "accounts are deleted by the operator of this server: ask there")
        }
    }

    /// In a browser. Throws `OwnAccount.PasswordRefused`; `OAuthError` as `check` does, and where the account or the
    /// session has ended meanwhile.
    public func delete(
        password: String, _ session: BrowserSession, _ context: BrowserSessionContext
    ) async throws -> Departure {
        try check()
        let account = session.account, actor = context.actor()
        guard (1...1_024).contains(password.utf8.count) else { throw OwnAccount.PasswordRefused.wrong }
        do {
            _ = try await passwords.logIn(
                username: account.username, password: password, client: context.client, owner: account.id)
        } catch let refused as PasswordLogin.Refused {
            try await RefusedLogins(action: .deletion, database: database, clock: clock).note(refused, by: actor)
            if case .tooMany(let seconds, _) = refused {
                throw OwnAccount.PasswordRefused.tooMany(seconds: seconds)
            }
            throw OwnAccount.PasswordRefused.wrong
        } catch is PasswordHasher.Busy {
            throw OwnAccount.PasswordRefused.busy
        }
        return try await delete(account.id, below: session.lineage, by: actor)
    }

    /// By an app. Throws `OAuthError`: as `check` does; 401 `insufficient_user_authentication` (RFC 9470) for a login
    /// that is older than five minutes, or showed no second factor where the person has one.
    public func delete(_ holder: AuthenticatedToken, _ request: PresentedRequest) async throws -> Departure {
        try check()
        guard let id = holder.token.body.account, let account = try await accounts.find(id, in: database) else {
            throw gone
        }
        let enrolled = try await SecondFactor.enrolled(factors, of: id, in: database)
        let isPlain = enrolled.isEmpty && account.requiredFactor == .none
        try StepUp.check(
            holder.token.body.claims.login, maxAge: DeleteOwnAccount.freshness, level: isPlain ? nil : .twoFactors,
            at: clock.now())
        return try await delete(id, below: holder.token.lineage, by: holder.actor(request))
    }

    private func delete(_ account: UUID, below lineage: [NodeID], by actor: AuditActor) async throws -> Departure {
        let actor = actor.because("deleted by its owner")
        return try await database.atomically { transaction in
            guard let held = try await accounts.hold(account, in: transaction), held.status == .active else {
                throw gone
            }
            // Whoever was thrown out meanwhile deletes nobody in return.
            try await store.hold(lineage, in: transaction)
            let revoked = try await transaction.query(
                "select r.node from revocation r where r.node = any (\(lineage))")
            guard revoked.isEmpty else { throw gone }
            let removed = try await removal.remove(account, by: actor, in: transaction), now = clock.now()
            let entry = AuditEntry(
                actor: actor, action: "accounts.delete", node: "account:\(account.uuidString.lowercased())",
                account: account)
            try await AuditTrail.write(entry, at: now, in: transaction)
            return Departure(services: removed.revoked.services.count, counts: removed.counts, at: now)
        }
    }

    private var gone: OAuthError { OAuthError(.invalidToken, "the person behind this token is no longer active") }
}
