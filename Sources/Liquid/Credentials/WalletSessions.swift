import Base
import Database
import Foundation
import TokenTree

/// A session that a passkey of a wallet let in, as the person sees it who has linked that wallet.
public struct WalletSession: Sendable {
    public let session: LiquidSession
    /// User-Agent.
    public let device: String?
    /// Of the pages that it was linked for, as their browsers said it, the latest first. A page of this host need not have said one.
    public let origins: [String]

    init(_ row: Row) throws(DatabaseError) {
        session = try LiquidSession(row)
        (device, origins) = (try row("device"), try row("origins"))
    }
}

/// What people see of their wallets at work, and how they end it (decisions.md, liquid 2). A person's wallets are those of which the account is linked with a passkey;
/// whichever passkey of these let a session in, it is shown.
extension PasskeyLogin {
    static let mostSessions = 200
    /// Of one session.
    private static let mostOrigins = 5

    /// Those that live, the latest used first: wallets themselves, and pages that were linked with them.
    public func walletSessions(of account: UUID) async throws -> [WalletSession] {
        try await parts.database.query("""
            select \(LiquidSession.columns), x.device, array(
                select l.origin from signalling_link l
                where l.linker = x.id and l.wallet = x.wallet and l.linked_at is not null and l.origin is not null
                group by l.origin order by max(l.linked_at) desc, l.origin limit \(PasskeyLogin.mostOrigins)
            ) as origins
            from liquid_session x where \(PasskeyLogin.isWallets(of: account)) and \(parts.sessions.isLive)
            order by x.last_seen desc, x.created_at desc, x.id limit \(PasskeyLogin.mostSessions)
            """).map { try WalletSession($0) }
    }

    /// Ends one of them; its sockets close. `PasskeyRefusal.notFound`: it is over, or not of this person's wallets.
    public func endWalletSession(_ id: String, of account: UUID, actor: AuditActor) async throws {
        let own: SQL = "select x.wallet from liquid_session x where x.id = \(id) and \(PasskeyLogin.isWallets(of: account))"
        try await parts.database.atomically { transaction in
            guard let row = try await transaction.query("\(own) and \(parts.sessions.isLive)").first else { throw PasskeyRefusal.notFound }
            let wallet: String = try row("wallet")
            try await parts.revocation.revoke(.virtual(LiquidSession.node(id)), by: actor.because("ended by its owner"), in: transaction)
            // The cut waits for whoever is linking the page now: with another's wallet it is not this person's any more.
            guard try await !transaction.query(own).isEmpty else { throw PasskeyRefusal.notFound }
            let entry = AuditEntry(actor: actor, action: "liquid.cut", node: "wallet:\(wallet)", account: account, detail: ["sessions": .integer(1)])
            try await AuditTrail.write(entry, at: parts.clock.now(), in: transaction)
        }
        await parts.signals.over([id])
    }

    private static func isWallets(of account: UUID) -> SQL {
        "x.wallet in (select p.wallet from passkey p join passkey_link l on l.credential = p.id where l.account = \(account))"
    }
}
