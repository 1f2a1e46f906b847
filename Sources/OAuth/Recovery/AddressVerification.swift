import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// Whether somebody reads at an address: a link goes there, and whoever follows it and says so makes it the account's.
extension AccountRecovery {
    public enum AddressRefused: Error, Sendable, Equatable {
        case notAnAddress
        case tooMany(seconds: Int)
    }

    /// Sends a link to an address that the person names, the account's own or a new one, which is theirs only when the
    /// link is followed. It ends with the session and with the password, however the session was begun: whoever throws
    /// a stranger out is not to find the account's address a stranger's a day later.
    public func verify(
        _ email: String, language: String, _ session: BrowserSession, _ context: BrowserSessionContext
    ) async throws {
        let email = email.trimmingCharacters(in: .whitespaces)
        guard email.utf8.count <= 254, AccountStore.isAddress(email) else { throw AddressRefused.notAnAddress }
        let id = session.account.id, name = id.uuidString.lowercased()
        // Several accounts send no more to one address than one does.
        let digest = Base64URL.encode(Digest.sha256("verify \(email.lowercased())").prefix(16))
        let steps = [
            AttemptLimit.Step(subject: "verify \(name)", free: 5, pause: 300),
            AttemptLimit.Step(subject: "verify address \(digest)", free: 5, pause: 300),
        ]
        if let seconds = try await attempts.count(steps, in: database) {
            throw AddressRefused.tooMany(seconds: seconds)
        }
        try await database.atomically { transaction in
            guard try await TokenBoundRow.stands(session.lineage, in: transaction) else {
                throw OAuthError(.loginRequired, "log in first")
            }
            // The latest alone counts: an address that somebody mistyped is nobody's.
            try await links.drop(.verify, of: id, in: transaction)
            let password = try await store.generations(of: [Ancestor(.password, name)], in: transaction)
            let lineage = session.lineage + password.filter { !session.lineage.contains($0) }
            try await open(email, of: session.account, below: lineage, language, in: transaction)
        }
    }

    /// The same for an address that an operator wrote.
    public func verify(_ account: Account, in transaction: any SQLExecutor) async throws {
        guard queue.isOn, let email = account.email else { return }
        try await links.drop(.verify, of: account.id, in: transaction)
        let name = account.id.uuidString.lowercased()
        let lineage = try await store.generations(of: [.epoch, Ancestor(.account, name)], in: transaction)
        try await open(email, of: account, below: lineage, nil, in: transaction)
    }

    private func open(
        _ email: String, of account: Account, below lineage: [NodeID], _ language: String?,
        in transaction: any SQLExecutor
    ) async throws {
        let secret = try await links.open(
            .verify, of: account.id, below: lineage, detail: ["email": .string(email)], in: transaction)
        let known = try await languages.find(account.id, in: transaction)
        let mail = QueuedMail(
            .verify, to: email, name: account.username, language: language ?? known, at: clock.now(),
            link: "\(issuer)/recover/address?link=\(secret)")
        try await queue.add(mail, of: account.id, lasting: AccountLinkStore.lifetime(.verify), in: transaction)
    }

    /// Whose a link would make which address; `nil`: over.
    public func addressLink(_ text: String) async throws -> (username: String, email: String)? {
        guard let link = try await links.find(text, [.verify], in: database),
            let email = link.detail["email"]?.string
        else { return nil }
        return (link.account.username, email)
    }

    /// Throws `Refused.over`.
    public func confirm(_ text: String, _ context: BrowserSessionContext) async throws {
        guard let link = try await links.find(text, [.verify], in: database),
            let email = link.detail["email"]?.string
        else { throw Refused.over }
        let id = link.account.id, actor = context.actor("account:\(id.uuidString.lowercased())")
        try await database.atomically { transaction in
            guard let account = try await accounts.hold(id, in: transaction), account.status == .active,
                try await TokenBoundRow.stands(link.lineage, in: transaction),
                try await links.use(link, in: transaction)
            else { throw Refused.over }
            if account.email != email {
                _ = try await accounts.update(id, AccountChange(email: email), in: transaction)
            }
            try await accounts.verify(id, email: email, in: transaction)
            let action = account.email == email ? "email.verify" : "email.change"
            let entry = AuditEntry(actor: actor, action: action, account: id)
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
            try await notices.addressChanged(of: account, from: account.email, to: email, in: transaction)
        }
    }
}
