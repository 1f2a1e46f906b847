import Base
import Database
import Foundation
import Passkeys
import TokenTree

/// A wallet as an operator sees it.
public struct KnownWallet: Sendable {
    public let address: String
    public let createdAt: Date
    public let passkeys: Int
    /// Those that live.
    public let sessions: Int
    public let lastUsedAt: Date?

    init(_ row: Row) throws(DatabaseError) {
        (address, createdAt) = (try row("address"), try row("created_at"))
        (passkeys, sessions, lastUsedAt) = (try row("passkeys"), try row("sessions"), try row("last_used_at"))
    }

    public var json: JSONObject {
        var members: JSONObject = [
            "wallet": .string(address), "passkeys": .integer(passkeys), "sessions": .integer(sessions),
            "created_at": .string(createdAt.rfc3339),
        ]
        if let lastUsedAt { members["last_used_at"] = .string(lastUsedAt.rfc3339) }
        return members
    }
}

/// A session of a wallet as an operator sees it.
public struct KnownSession: Sendable {
    public let session: LiquidSession
    public let device: String?
    public let origin: String?
    public let isLive: Bool

    init(_ row: Row) throws(DatabaseError) {
        session = try LiquidSession(row)
        (device, origin, isLive) = (try row("device"), try row("origin"), try row("is_live"))
    }

    public var json: JSONObject {
        var members: JSONObject = ["id": .string(session.id), "live": .bool(isLive)]
        func add(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
        add("entered", session.entered?.rawValue)
        add("passkey", session.credential.map { Base64URL.encode($0) })
        add("device", device)
        add("origin", origin)
        add("created_at", session.createdAt.rfc3339)
        add("last_seen", session.lastSeen.rfc3339)
        add("expires_at", session.expiresAt.rfc3339)
        return members
    }
}

/// What an operator does with everybody's wallets and their sessions, as `PasskeyOperator` with passkeys.
public struct WalletOperator: Sendable {
    private let revocation: Revocation
    private let actor: AuditActor
    private let clock: WallClock

    public init(_ revocation: Revocation, actor: AuditActor, clock: WallClock) {
        (self.revocation, self.actor, self.clock) = (revocation, actor, clock)
    }

    // MARK: Reading

    /// By address; `account`: those of which it is linked with a passkey; `after` an address.
    public func list(
        account: UUID? = nil, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [KnownWallet] {
        try await read(
            """
            w.address > \(after ?? "") and (\(account)::uuid is null or exists (
                select from passkey p join passkey_link l on l.credential = p.id where p.wallet = w.address
                    and l.account = \(account)))
            order by w.address limit \(limit)
            """, in: executor)
    }

    public func find(_ address: String, in executor: any SQLExecutor) async throws -> KnownWallet {
        guard let found = try await read("w.address = \(address)", in: executor).first else {
            throw WalletOperator.missing(address)
        }
        return found
    }

    /// The newest first, those that ended lately among them; `after` is an id.
    public func sessions(
        of address: String, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [KnownSession] {
        try await executor.query(
            """
            select \(LiquidSession.columns), x.device, x.origin,
                \(LiquidSession.isLive(at: clock.now())) as is_live from liquid_session x
            where x.wallet = \(address)
              and (\(after)::text is null or (x.created_at, x.id) < (select c.created_at, c.id
                  from liquid_session c where c.id = \(after)))
            order by x.created_at desc, x.id desc limit \(limit)
            """
        ).map { try KnownSession($0) }
    }

    // MARK: Revoking

    /// Ends all sessions of a wallet, or that one; gives those that lived. Its passkeys go on: who has one logs in
    /// anew.
    ///
    /// All hang below passkeys (`LiquidSessionStore`), so these are what is revoked: with one that is being let in at
    /// this moment. The wallet is held, so that no passkey is added meanwhile.
    public func revoke(
        _ address: String, session: String? = nil, in transaction: any SQLExecutor
    ) async throws -> [String] {
        let held = try await transaction.query(
            "select w.address from liquid_wallet w where w.address = \(address) for no key update")
        guard !held.isEmpty else { throw WalletOperator.missing(address) }
        let now = clock.now(), ended: [String]
        if let session {
            let known = try await transaction.query(
                "select x.id from liquid_session x where x.id = \(session) and x.wallet = \(address)")
            guard !known.isEmpty else {
                throw PasskeyOperator.NotFound(description: "the wallet has no session \(session)")
            }
            ended = try await WalletOperator.live(of: "x.id = \(session)", at: now, in: transaction)
            try await revocation.revoke(.virtual(LiquidSession.node(session)), by: actor, in: transaction)
        } else {
            ended = try await WalletOperator.live(of: "x.wallet = \(address)", at: now, in: transaction)
            let passkeys = try await transaction.query(
                "select p.id from passkey p where p.wallet = \(address) order by p.id")
            for row in passkeys {
                try await revocation.revoke(.virtual(Passkey.node(try row("id"))), by: actor, in: transaction)
            }
        }
        guard !ended.isEmpty else { return [] }
        let entry = AuditEntry(
            actor: actor, action: "liquid.cut", node: "wallet:\(address)", detail: ["sessions": .integer(ended.count)])
        try await AuditTrail.write(entry, at: now, in: transaction)
        return ended
    }

    // MARK: Rows

    /// Before a revocation, which may wait for somebody who is linking another: that one ends too, and is not told.
    static func live(of condition: SQL, at now: Date, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            "select x.id from liquid_session x where \(condition) and \(LiquidSession.isLive(at: now)) order by x.id"
        ).map { try $0("id", as: String.self) }
    }

    private func read(_ condition: SQL, in executor: any SQLExecutor) async throws -> [KnownWallet] {
        try await executor.query(
            """
            select w.address, w.created_at, (select count(*) from passkey p where p.wallet = w.address) as passkeys,
                   (select max(p.last_used_at) from passkey p where p.wallet = w.address) as last_used_at,
                   (select count(*) from liquid_session x where x.wallet = w.address
                       and \(LiquidSession.isLive(at: clock.now()))) as sessions
            from liquid_wallet w where \(condition)
            """
        ).map { try KnownWallet($0) }
    }

    private static func missing(_ address: String) -> PasskeyOperator.NotFound {
        PasskeyOperator.NotFound(description: "there is no wallet \(address)")
    }
}
