import Accounts
import Base
import Database
import Foundation
import TokenTree

/// "That was not me": what the link of a notice does. It shows first what that will be.
extension AccountRecovery {
    public struct Cut: Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            case device, browser, factor, removal, password, address

            /// Its subject is the name of a factor.
            public var isOfFactor: Bool { self == .factor || self == .removal }
        }

        public let kind: Kind
        public let username: String
        /// The phone, the factor, or the address that it was before.
        public let subject: String?
        /// The account asks for a factor, and the one that went was its last: so it was suspended.
        public internal(set) var isSuspended = false
    }

    /// What a link would end; `nil`: over, or the thing is gone.
    public func cut(_ text: String) async throws -> Cut? {
        guard let link = try await links.find(text, [.cut], in: database),
            let cut = AccountNotices.Cut(link.detail)
        else { return nil }
        return shown(cut, link.account)
    }

    private func shown(_ cut: AccountNotices.Cut, _ account: Account) -> Cut {
        switch cut {
        case .device: Cut(kind: .device, username: account.username, subject: nil)
        case .browser: Cut(kind: .browser, username: account.username, subject: nil)
        case .factor(let name, _): Cut(kind: .factor, username: account.username, subject: name)
        case .removal(let name): Cut(kind: .removal, username: account.username, subject: name)
        case .password: Cut(kind: .password, username: account.username, subject: nil)
        case .address(let before): Cut(kind: .address, username: account.username, subject: before)
        }
    }

    /// Ends it, once. Whoever did it knew the password or had a way in: so, but for a phone that is disconnected,
    /// everything that acts for the person ends, the password is worth nothing any more, and a link for a new one goes
    /// to the address of the account. Where the account asks for a factor and has none afterwards, it is suspended
    /// instead: with the mail alone one could otherwise take the factor away, set a password, and enrol another. Throws
    /// `Refused.over`.
    public func perform(_ text: String, _ context: BrowserSessionContext) async throws -> Cut {
        guard let link = try await links.find(text, [.cut], in: database), let cut = AccountNotices.Cut(link.detail)
        else { throw Refused.over }
        let nobody: PasswordHash?
        do { nobody = cut.takesPassword ? try await hasher.hash(randomness.secretText()) : nil } catch is PasswordHasher
            .Busy
        {
            throw Refused.busy
        }
        let actor = context.actor(context.client).because("that was not me: \(shown(cut, link.account).kind.rawValue)")
        return try await database.atomically { transaction in
            guard let account = try await accounts.hold(link.account.id, in: transaction),
                try await TokenBoundRow.stands(link.lineage, in: transaction),
                try await links.use(link, in: transaction)
            else { throw Refused.over }
            let node = Ancestor(.account, account.id.uuidString.lowercased())
            // Before what hangs from it: so do all take their locks.
            if cut.takesPassword { try await revocation.revoke(.virtual(node), by: actor, in: transaction) }
            let lacksFactor = try await leavesNoFactor(account, in: transaction) {
                try await end(cut, account, actor, in: transaction)
                guard case .address = cut else { return }
                // Whatever came after was told to the other address: its links are a stranger's, and what they would
                // have ended, nobody else hears of.
                for detail in try await links.takeSince(link, in: transaction) {
                    guard let later = AccountNotices.Cut(detail), case .factor = later else { continue }
                    try await end(later, account, actor, in: transaction)
                }
            }
            if let nobody { try await shut(account, nobody, isOpen: !lacksFactor, actor, in: transaction) }
            var done = shown(cut, account)
            done.isSuspended = lacksFactor
            let entry = AuditEntry(
                actor: actor, action: "account.cut", node: node.label, account: account.id,
                detail: ["of": .string(done.kind.rawValue), "suspended": .bool(lacksFactor)])
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
            return done
        }
    }

    /// Whether the account had a factor that it asks for, and has none any more after `body`.
    private func leavesNoFactor(
        _ account: Account, in transaction: any SQLExecutor, _ body: () async throws -> Void
    ) async throws -> Bool {
        let demand = FactorDemand(account, levels: [], of: factors)
        let before = try await demand?.enrolled(in: transaction) ?? []
        try await body()
        guard let demand, !before.isEmpty else { return false }
        return try await demand.enrolled(in: transaction).isEmpty
    }

    private func end(
        _ cut: AccountNotices.Cut, _ account: Account, _ actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        switch cut {
        case .device(let instance):
            // Of theirs still: it may have been given to somebody else.
            guard
                try await !transaction.query(
                    "select id from app_instance where id = \(instance) and account = \(account.id)"
                ).isEmpty
            else { return }
            try await revocation.revoke(.virtual(Ancestor(.instance, instance)), by: actor, in: transaction)
        case .factor(let name, let id):
            let remove = factors.first { $0.name == name }?.remove ?? removals[name]
            try await remove?(id, account.id, actor, transaction)
        // Its session ends with all others, since whoever was there knew the password or had a way in.
        case .browser, .removal, .password: return
        case .address(let before):
            _ = try await accounts.update(account.id, AccountChange(email: before), in: transaction)
            try await accounts.verify(account.id, email: before, in: transaction)
        }
    }

    /// Nobody gets in by the old password; the person gets a link for a new one where the account stays open.
    private func shut(
        _ account: Account, _ nobody: PasswordHash, isOpen: Bool, _ actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        _ = try await change.reset(nobody, of: account.id, by: actor, in: transaction)
        // Links that somebody else asked for, the one to another address above all.
        for purpose in [AccountLink.Purpose.reset, .verify] {
            try await links.drop(purpose, of: account.id, in: transaction)
        }
        guard isOpen else {
            _ = try await accounts.setStatus(account.id, .suspended, in: transaction)
            return
        }
        guard account.status == .active else { return }
        // However often somebody asked for one before.
        try await attempts.forgive(AccountRecovery.pace(account.id), takingBack: [], in: transaction)
        let mail = QueuedMail(.asked, name: account.id.uuidString.lowercased(), language: nil, at: clock.now())
        try await queue.add(mail, of: account.id, lasting: AccountLinkStore.lifetime(.reset), in: transaction)
    }
}

extension AccountNotices.Cut {
    /// A phone is cut off by itself: its person has the others, and is told to change the password.
    fileprivate var takesPassword: Bool { if case .device = self { false } else { true } }
}
