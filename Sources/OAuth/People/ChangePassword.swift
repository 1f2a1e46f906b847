import Accounts
import Base
import Database
import Foundation
import TokenTree

/// A new password for an account, chosen by the person or given by an operator, and the end of what the old one opened:
/// one row, `password:ACCOUNT`, above sessions, codes, logins under way and whatever apps hold after a login by it,
/// offline tokens too. App instances live; so does what no password began.
public struct ChangePassword: Sendable {
    /// What a change ended.
    public struct Ended: Sendable {
        public let revoked: RevocationOutcome
        /// Browser sessions.
        public var sessions: Int
    }

    let store: TokenStore
    let revocation: Revocation
    let accounts: AccountStore
    let sessions: SessionStore

    public init(store: TokenStore, revocation: Revocation, clock: WallClock) {
        (self.store, self.revocation) = (store, revocation)
        (accounts, sessions) = (AccountStore(clock: clock), SessionStore(clock: clock))
    }

    /// In the caller's transaction. `replacing`: the generation of the password that was typed to be allowed to.
    /// `keeping`: the browser in which it happens, whose session goes on under the new password. `nil` when the account
    /// is gone, or another change came first.
    public func set(
        _ hash: PasswordHash, of account: UUID, replacing typed: NodeID? = nil, keeping session: BrowserSession? = nil,
        by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> Ended? {
        let ancestor = Ancestor(.password, account.uuidString.lowercased())
        // Of two changes at once the second sees what the first did.
        guard try await accounts.hold(account, in: transaction) != nil,
            let generation = try await store.generations(of: [ancestor], in: transaction).first,
            typed == nil || typed == generation
        else { return nil }
        let sessions = try await self.sessions.count(below: generation, in: transaction)
        try await accounts.setPassword(account, hash, in: transaction)
        let revoked = try await revocation.revoke(.virtual(ancestor), by: actor, in: transaction)
        guard let session, session.lineage.contains(generation),
            let next = try await store.generations(of: [ancestor], in: transaction).first
        else {
            return Ended(revoked: revoked, sessions: sessions)
        }
        try await self.sessions.move(session, from: generation, to: next, in: transaction)
        return Ended(revoked: revoked, sessions: sessions - 1)
    }

    /// A reset by an operator or a link: every browser session ends, also those that a phone or a passkey began.
    /// `replacing` and `nil` as for `set`.
    public func reset(
        _ hash: PasswordHash, of account: UUID, replacing known: NodeID? = nil, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> Ended? {
        guard var ended = try await set(hash, of: account, replacing: known, by: actor, in: transaction) else {
            return nil
        }
        for id in try await sessions.ids(of: account, in: transaction) {
            try await revocation.revoke(.virtual(Ancestor(.session, id)), by: actor, in: transaction)
            ended.sessions += 1
        }
        return ended
    }
}
