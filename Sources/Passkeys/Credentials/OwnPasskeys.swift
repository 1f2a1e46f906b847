import Base
import Database
import Foundation
import TokenTree

/// What people do with passkeys that they have: naming and removing.
extension PasskeyLogin {
    /// Whether this passkey logs in to this account now: between an answer and the end of a login a lost one may have
    /// been removed. Held until the transaction ends.
    public func isStanding(_ passkey: Passkey, of account: UUID, in transaction: any SQLExecutor) async throws -> Bool {
        guard let held = try await parts.passkeys.hold(passkey.id, in: transaction) else { return false }
        return held.account == account && held.key == passkey.key
    }

    /// Of which kind a passkey of the account is, `id` as it stands in URLs; `nil` where the account has none of it.
    public func flow(
        of id: String, _ account: UUID, in executor: any SQLExecutor
    ) async throws -> Passkey.Flow? {
        try await parts.passkeys.list(account: account, in: executor).first { $0.text == id }?.flow
    }

    /// `id` as it stands in URLs. Blank names change nothing.
    public func rename(_ id: String, of account: UUID, to name: String, actor: AuditActor) async throws {
        guard let credential = Base64URL.decode(id) else { throw PasskeyRefusal.notFound }
        try await parts.database.atomically { transaction in
            guard
                try await parts.passkeys.hold(account: account, in: transaction).contains(where: { $0.id == credential }
                )
            else { throw PasskeyRefusal.notFound }
            guard let fit = DeviceName.fit(name) else { return }
            _ = try await transaction.execute("update passkey set name = \(fit) where id = \(credential)")
            try await PasskeyAudit.write(
                "passkey.rename", actor, about: credential, account: account, at: parts.clock.now(), in: transaction)
        }
    }

    /// Ends a passkey of the account's own, or its link with a wallet's, which goes on being the wallet's. With
    /// `keepingOne` the last of its kind stays: `PasskeyRefusal.last`. `only`: one of another kind is not found.
    public func remove(
        _ id: String, of account: UUID, only flow: Passkey.Flow? = nil, keepingOne: Bool, actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws {
        // All held, so that of two removed at once one is the last.
        let passkeys = try await parts.passkeys.hold(account: account, in: transaction)
        guard let passkey = passkeys.first(where: { $0.text == id }), flow == nil || passkey.flow == flow else {
            throw PasskeyRefusal.notFound
        }
        if keepingOne, passkeys.count(where: { $0.flow == passkey.flow }) == 1 { throw PasskeyRefusal.last }
        switch passkey.flow {
        case .idp: _ = try await transaction.execute("delete from passkey where id = \(passkey.id)")
        case .liquid:
            _ = try await transaction.execute(
                "delete from passkey_link where credential = \(passkey.id) and account = \(account)")
        }
        try await PasskeyAudit.write(
            passkey.flow == .idp ? "passkey.remove" : "passkey.unlink", actor, about: passkey.id, account: account,
            at: parts.clock.now(),
            in: transaction)
    }

    /// The account is deleted: nothing logs in to it any more. How many passkeys there were. No key is needed, so it
    /// works where liquid does not run.
    public static func removeAll(
        of account: UUID, actor: AuditActor, at now: Date, in transaction: any SQLExecutor
    ) async throws -> Int {
        let results = try await transaction.batch([
            "delete from passkey where account = \(account) returning id",
            "delete from passkey_link where account = \(account) returning credential as id",
            "delete from webauthn_challenge where account = \(account)",
        ])
        for (rows, action) in zip(results, ["passkey.remove", "passkey.unlink"]) {
            for row in rows {
                try await PasskeyAudit.write(
                    action, actor, about: try row("id"), account: account, at: now, in: transaction)
            }
        }
        return results.prefix(2).reduce(0) { $0 + $1.count }
    }
}
