import Base
import Database
import Foundation
import Passkeys
import TokenTree

/// A session that a passkey of a wallet let in, as the person sees it who has linked that wallet.
public struct WalletSession: Sendable {
    public let session: LiquidSession
    /// User-Agent.
    public let device: String?
    /// Of the pages that it was linked for, as their browsers said it, the latest first. A page of this host need not
    /// have said one.
    public let origins: [String]

    init(_ row: Row) throws(DatabaseError) {
        session = try LiquidSession(row)
        (device, origins) = (try row("device"), try row("origins"))
    }
}

/// What people see of their wallets at work, and how they end it (decisions.md, liquid 2). A person's wallets are those
/// of which the account is linked with a passkey; whichever passkey of these let a session in, it is shown.
public struct LinkedWallets: Sendable {
    let database: Database
    let revocation: Revocation
    let clock: WallClock
    /// Sockets of this process close at once; other processes hear of it from the database.
    let signals: SessionSignals

    static let mostSessions = 200
    /// Of one session.
    private static let mostOrigins = 5

    /// A wallet's passkey logs in to the account.
    public func areThere(of account: UUID) async throws -> Bool {
        try await !database.query("select l.credential from passkey_link l where l.account = \(account) limit 1")
            .isEmpty
    }

    /// Those that live, the latest used first: wallets themselves, and pages that were linked with them.
    public func sessions(of account: UUID) async throws -> [WalletSession] {
        try await database.query(
            """
            select \(LiquidSession.columns), x.device, array(
                select l.origin from signalling_link l
                where l.linker = x.id and l.wallet = x.wallet and l.linked_at is not null and l.origin is not null
                group by l.origin order by max(l.linked_at) desc, l.origin limit \(LinkedWallets.mostOrigins)
            ) as origins
            from liquid_session x where \(LinkedWallets.isWallets(of: account))
                and \(LiquidSession.isLive(at: clock.now()))
            order by x.last_seen desc, x.created_at desc, x.id limit \(LinkedWallets.mostSessions)
            """
        ).map { try WalletSession($0) }
    }

    /// Ends one of them; its sockets close. `PasskeyRefusal.notFound`: it is over, or not of this person's wallets.
    public func end(_ id: String, of account: UUID, actor: AuditActor) async throws {
        let own: SQL =
            "select x.wallet from liquid_session x where x.id = \(id) and \(LinkedWallets.isWallets(of: account))"
        try await database.atomically { transaction in
            guard let row = try await transaction.query("\(own) and \(LiquidSession.isLive(at: clock.now()))").first
            else { throw PasskeyRefusal.notFound }
            let wallet: String = try row("wallet")
            try await revocation.revoke(
                .virtual(LiquidSession.node(id)), by: actor.because("ended by its owner"), in: transaction)
            // The revocation waits for whoever is linking the page now: with another's wallet it is not this person's
            // any more.
            guard try await !transaction.query(own).isEmpty else { throw PasskeyRefusal.notFound }
            let entry = AuditEntry(
                actor: actor, action: "liquid.cut", node: "wallet:\(wallet)", account: account,
                detail: ["sessions": .integer(1)])
            try await AuditTrail.write(entry, at: clock.now(), in: transaction)
        }
        await signals.over([id])
    }

    private static func isWallets(of account: UUID) -> SQL {
        """
        x.wallet in (select p.wallet from passkey p join passkey_link l on l.credential = p.id
            where l.account = \(account))
        """
    }
}
