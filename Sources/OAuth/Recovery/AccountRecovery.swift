import Accounts
import Base
import Database
import Foundation
import TokenTree

/// Passwords that were forgotten, and first ones: a link to the address of the account sets another, once, within
/// minutes. Where mail is off an operator hands the link over.
///
/// Nobody learns from asking whether there is such an account: what was typed is queued as it is, and looked at by the
/// worker, after the answer.
public final class AccountRecovery: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        /// Unknown, used, expired, or what it hung from has ended.
        case over
        case unacceptable(PasswordRule.Refusal)
        case busy
    }

    public let notices: AccountNotices
    public let queue: MailQueue
    let issuer: String
    let database: Database
    let store: TokenStore
    let revocation: Revocation
    let accounts: AccountStore
    let links: AccountLinkStore
    let change: ChangePassword
    let hasher: PasswordHasher
    let rule: PasswordRule
    let attempts: AttemptLimit
    let factors: [SecondFactor]
    let removals: [String: SecondFactor.Removal]
    let clock: WallClock
    let randomness: Randomness
    let languages = AccountLanguage()

    init(_ parts: AuthorizationServer.Services, on dependencies: ServiceRole.Dependencies, queue: MailQueue) {
        (issuer, store, revocation) = (dependencies.issuer, dependencies.store, dependencies.revocation)
        (database, clock, randomness) = (dependencies.store.database, dependencies.clock, parts.randomness)
        (hasher, rule, factors, self.queue) = (parts.hasher, parts.passwordRule, parts.factors, queue)
        removals = parts.removals
        links = AccountLinkStore(clock: clock, randomness: randomness)
        notices = AccountNotices(issuer: issuer, store: store, links: links, queue: queue, clock: clock)
        (accounts, attempts) = (AccountStore(clock: clock), AttemptLimit(clock: clock))
        change = ChangePassword(store: store, revocation: revocation, clock: clock)
    }

    // MARK: Asking

    /// The same work and the same answer for whatever was typed. Asked too often, it does nothing, and says nothing of
    /// that either.
    public func ask(_ name: String, language: String, _ context: BrowserSessionContext) async throws {
        let name = name.trimmingCharacters(in: .whitespaces)
        guard (1...255).contains(name.utf8.count) else { return }
        let digest = Base64URL.encode(Digest.sha256("recover \(PasswordRule.folded(name))").prefix(16))
        let step = AttemptLimit.Step(subject: "recover name \(digest)", free: 3, pause: 600)
        guard try await attempts.count([step], in: database) == nil else { return }
        let mail = QueuedMail(.asked, name: name, language: language, at: clock.now())
        try await queue.add(mail, of: nil, lasting: AccountLinkStore.lifetime(.reset), in: database)
    }

    /// What the worker does with a name that somebody typed: a link for each of at most three accounts that it means.
    /// Of a username there is one; several may have one address.
    public func answer(_ asked: QueuedMail) async throws {
        var found = try await accounts.find(asked.name, in: database).map { [$0] } ?? []
        if found.isEmpty { found = try await accounts.reading(asked.name, limit: 3, in: database) }
        for account in found where account.status == .active {
            guard let to = account.email else { continue }
            guard try await attempts.count([AccountRecovery.pace(account.id)], in: database) == nil else { continue }
            try await database.atomically { transaction in
                let link = try await open(.reset, of: account, detail: ["email": .string(to)], in: transaction)
                let known = try await languages.find(account.id, in: transaction)
                let mail = QueuedMail(
                    .reset, to: to, name: account.username, language: asked.language ?? known, at: clock.now(),
                    link: link)
                try await queue.add(
                    mail, of: account.id, lasting: AccountLinkStore.lifetime(.reset), in: transaction)
            }
        }
    }

    /// How many links an account gets, whoever asks and however the name is written.
    static func pace(_ account: UUID) -> AttemptLimit.Step {
        AttemptLimit.Step(subject: "recover account \(account.uuidString.lowercased())", free: 3, pause: 600)
    }

    /// An operator lets somebody in who has no password yet: the link, which is mailed besides where mail is on and the
    /// account has an address. An older one is worth nothing from now on.
    public func invite(_ account: Account, language: String?, in transaction: any SQLExecutor) async throws -> String {
        try await links.drop(.invite, of: account.id, in: transaction)
        // Where mail is off nobody reads it at the address.
        let to = queue.isOn ? account.email : nil
        let detail: JSONObject = to.map { ["email": .string($0)] } ?? [:]
        let link = try await open(.invite, of: account, detail: detail, in: transaction)
        if let to {
            let known = try await languages.find(account.id, in: transaction)
            let mail = QueuedMail(
                .invite, to: to, name: account.username, language: language ?? known, at: clock.now(), link: link)
            try await queue.add(mail, of: account.id, in: transaction)
        }
        return link
    }

    /// Below epoch, account and password: suspending the person ends it, and so does any other way to a new password.
    private func open(
        _ purpose: AccountLink.Purpose, of account: Account, detail: JSONObject = [:], in transaction: any SQLExecutor
    ) async throws -> String {
        let name = account.id.uuidString.lowercased()
        let lineage = try await store.generations(
            of: [.epoch, Ancestor(.account, name), Ancestor(.password, name)], in: transaction)
        let secret = try await links.open(purpose, of: account.id, below: lineage, detail: detail, in: transaction)
        return "\(issuer)/recover/password?link=\(secret)"
    }

    // MARK: The new password

    /// Of which account a link sets the password; `nil`: over. Looking changes nothing, since scanners of mail look at
    /// links before people do.
    public func passwordLink(_ text: String) async throws -> AccountLink? {
        guard let link = try await links.find(text, [.reset, .invite], in: database), isRead(link, by: link.account)
        else { return nil }
        return link
    }

    /// What was mailed is over once the account has another address: who reads at the old one may be a stranger. What
    /// was only handed over names no address.
    private func isRead(_ link: AccountLink, by account: Account) -> Bool {
        link.detail["email"]?.string.map { $0 == account.email } ?? true
    }

    /// Sets it, uses the link up, and ends every session. Nobody is logged in by it: whoever has a second factor shows
    /// it at the login that follows. Throws `Refused`; a password that will not do leaves the link good.
    public func setPassword(_ text: String, to new: String, _ context: BrowserSessionContext) async throws {
        guard let link = try await passwordLink(text) else { throw Refused.over }
        do { try rule.check(new, names: link.account.names) } catch let refusal as PasswordRule.Refusal {
            throw Refused.unacceptable(refusal)
        }
        let hash: PasswordHash
        do { hash = try await hasher.hash(new) } catch is PasswordHasher.Busy { throw Refused.busy }
        let id = link.account.id, actor = context.actor(context.client).because("\(link.purpose.rawValue) by link")
        try await database.atomically { transaction in
            // Of two, and of whoever suspends the account, the second sees what the first did.
            guard let account = try await accounts.hold(id, in: transaction), account.status == .active,
                isRead(link, by: account),
                try await TokenBoundRow.stands(Array(link.lineage.prefix(2)), in: transaction),
                try await links.use(link, in: transaction),
                try await change.reset(hash, of: id, replacing: link.lineage.last, by: actor, in: transaction) != nil
            else { throw Refused.over }
            if link.purpose == .reset, let email = link.detail["email"]?.string {
                try await accounts.verify(id, email: email, in: transaction)
            }
            let action = link.purpose == .invite ? "password.first" : "password.reset"
            let entry = AuditEntry(actor: actor, action: action, account: id)
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
            try await notices.passwordChanged(of: account, in: transaction)
        }
    }

    /// After a factor was set up, which is done whatever becomes of the notice.
    public func factorAdded(_ name: String, id: String, to account: Account) async throws {
        try await database.atomically { try await notices.factorAdded(name, id: id, to: account, in: $0) }
    }

    /// Rows that nobody waits for any more.
    func forget() async throws {
        try await links.forget(in: database)
        try await queue.forget(in: database)
    }
}
