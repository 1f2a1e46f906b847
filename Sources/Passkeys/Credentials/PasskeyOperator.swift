import Accounts
import Base
import Database
import Foundation
import TokenTree

/// What an operator does with everybody's passkeys, in a transaction of the caller's, which may be rolled back. Throws
/// `NotFound`. No key is needed, so it works where liquid does not run. Sockets of sessions that end hear of it as of
/// any revocation (`Revocation`).
public struct PasskeyOperator: Sendable {
    /// What somebody named is not there.
    public struct NotFound: Error, Equatable, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Which passkeys; everything that is given must hold.
    public struct Which: Sendable {
        /// Those that log in to this account: its own, and those of wallets that it is linked with.
        public var account: UUID?
        public var wallet: String?
        /// Those whose counter went back once: perhaps there is a copy.
        public var isFlagged = false

        public init() {}
    }

    private let revocation: Revocation
    private let store: PasskeyStore
    private let actor: AuditActor
    private let clock: WallClock

    public init(_ revocation: Revocation, actor: AuditActor, clock: WallClock) {
        (self.revocation, self.actor, self.clock) = (revocation, actor, clock)
        store = PasskeyStore(clock: clock)
    }

    /// The newest first; `after` is an id as `Passkey.text` has it.
    public func list(
        _ which: Which, after: String? = nil, limit: Int, in executor: any SQLExecutor
    ) async throws -> [Passkey] {
        let flagged: SQL = which.isFlagged ? "p.flagged_at is not null" : "true"
        // What is no id is nobody's: nothing comes after it.
        let rest: SQL =
            if let after {
                """
                (p.created_at, p.id) < (select c.created_at, c.id from passkey c
                    where c.id = \(Base64URL.decode(after) ?? []))
                """
            } else {
                "true"
            }
        return try await executor.query(
            """
            select \(Passkey.columns) from \(Passkey.source)
            where (\(which.account)::uuid is null or p.account = \(which.account) or l.account = \(which.account))
              and (\(which.wallet)::text is null or p.wallet = \(which.wallet)) and \(flagged) and \(rest)
            order by p.created_at desc, p.id desc limit \(limit)
            """
        ).map { try Passkey($0) }
    }

    public func find(_ id: String, in executor: any SQLExecutor) async throws -> Passkey {
        guard let credential = Base64URL.decode(id), let found = try await store.find(credential, in: executor) else {
            throw PasskeyOperator.missing(id)
        }
        return found
    }

    /// As it was, how many sessions of its wallet ended with it, and how many browsers' of its account: all that showed
    /// such a one, since whoever has it may be in there. An account that asks for a passkey may lose its last one so:
    /// its person sets up another after the password, as after a first login.
    public func remove(
        _ id: String, in transaction: any SQLExecutor
    ) async throws -> (passkey: Passkey, sessions: Int, browsers: Int) {
        guard let credential = Base64URL.decode(id), let passkey = try await store.hold(credential, in: transaction)
        else { throw PasskeyOperator.missing(id) }
        _ = try await transaction.execute("delete from passkey where id = \(credential)")
        let now = clock.now()
        var detail: JSONObject = [:], sessions = 0, browsers = 0
        if let wallet = passkey.wallet {
            let live = try await transaction.query(
                """
                select x.id from liquid_session x where x.credential = \(credential) and x.expires_at > \(now)
                  and not exists (select from revocation r where r.node = any (x.lineage))
                """)
            sessions = live.count
            try await revocation.revoke(.virtual(Passkey.node(credential)), by: actor, in: transaction)
            detail = ["wallet": .string(wallet), "sessions": .integer(sessions)]
        }
        if let account = passkey.account {
            let shown = try await SessionStore(clock: clock).showing(passkey.flow.factor, of: account, in: transaction)
            for session in shown {
                try await revocation.revoke(.virtual(Ancestor(.session, session)), by: actor, in: transaction)
            }
            browsers = shown.count
            detail["browsers"] = .integer(browsers)
        }
        try await PasskeyAudit.write(
            passkey.flow == .idp ? "passkey.remove" : "liquid.remove", actor, about: credential,
            account: passkey.account, detail, at: now,
            in: transaction)
        return (passkey, sessions, browsers)
    }

    private static func missing(_ id: String) -> NotFound { NotFound(description: "there is no passkey \(id)") }
}

extension Passkey {
    /// As an operator reads it. Neither its key nor the statement of its maker.
    public var operatorJSON: JSONObject {
        var members: JSONObject = ["id": .string(text), "flow": .string(flow.rawValue), "name": .string(name)]
        func add(_ name: String, _ text: String?) { if let text { members[name] = .string(text) } }
        add("account", account?.uuidString.lowercased())
        add("wallet", wallet)
        add("device", device)
        if !transports.isEmpty { members["transports"] = JSONValue(strings: transports) }
        members["counter"] = .integer(Int(counter))
        add("flagged_at", flaggedAt?.rfc3339)
        members["backup_eligible"] = .bool(backupEligible)
        members["backed_up"] = .bool(backedUp)
        add("format", format)
        add("trust", trust)
        add("created_at", createdAt.rfc3339)
        add("last_used_at", lastUsedAt?.rfc3339)
        return members
    }
}
