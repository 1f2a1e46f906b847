import Base
import Database
import Foundation
import TokenTree
import WebAuthn

/// Rows of `passkey`. A credential id is one credential's, whoever has it (R18).
public struct PasskeyStore: Sendable {
    /// Who gets a new one.
    public enum Owner: Sendable {
        case account(UUID)
        case wallet(String)
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    // MARK: Reading

    public func find(_ id: [UInt8], in executor: any SQLExecutor) async throws -> Passkey? {
        try await executor.query("select \(Passkey.columns) from \(Passkey.source) where p.id = \(id)").first.map {
            try Passkey($0)
        }
    }

    /// The same, held until the transaction ends: of an assertion and a removal one waits for the other. Read after the
    /// lock, so with the link that it has then.
    public func hold(_ id: [UInt8], in transaction: any SQLExecutor) async throws -> Passkey? {
        _ = try await transaction.query("select p.id from passkey p where p.id = \(id) for update")
        return try await find(id, in: transaction)
    }

    /// Oldest first.
    public func list(wallet: String, in executor: any SQLExecutor) async throws -> [Passkey] {
        try await executor.query(
            "select \(Passkey.columns) from \(Passkey.source) where p.wallet = \(wallet) order by p.created_at, p.id"
        ).map { try Passkey($0) }
    }

    /// Those that log in to an account: its own and linked ones; most recently used first, then newest.
    public func list(account: UUID, in executor: any SQLExecutor) async throws -> [Passkey] {
        try await executor.query(
            """
            select \(Passkey.columns) from \(Passkey.source) where p.account = \(account) or l.account = \(account)
            order by p.last_used_at desc nulls last, p.created_at desc, p.id
            """
        ).map { try Passkey($0) }
    }

    /// The same, held until the transaction ends.
    public func hold(account: UUID, in transaction: any SQLExecutor) async throws -> [Passkey] {
        _ = try await transaction.query(
            """
            select p.id from passkey p where p.account = \(account) or p.id in (select l.credential
                from passkey_link l where l.account = \(account))
            order by p.id for update
            """)
        return try await list(account: account, in: transaction)
    }

    // MARK: Writing

    /// False when the id is taken: of two who register it at once one gets it. A statement is kept where a configured
    /// root stands behind it: others are what a stranger says, as long as he likes.
    public func add(
        _ fresh: NewCredential, owner: Owner, name: String, device: String?, in transaction: any SQLExecutor
    ) async throws -> Bool {
        let (flow, account, wallet): (Passkey.Flow, UUID?, String?) =
            switch owner {
            case .account(let id): (.idp, id, nil)
            case .wallet(let address): (.liquid, nil, address)
            }
        let statement: [UInt8]? = fresh.trust == .rooted ? fresh.attestationObject : nil
        return try await transaction.execute(
            """
            insert into passkey (id, flow, account, wallet, name, device, cose_key, algorithm, sign_count,
                uv_initialized, backup_eligible, backed_up, model,
                                 transports, format, attestation_type, trust, attestation_object, created_at)
            values (\(fresh.id), \(flow), \(account), \(wallet), \(name), \(device), \(fresh.key.bytes),
                \(fresh.key.algorithm.rawValue), \(Int64(fresh.counter)),
                    \(fresh.userVerified), \(fresh.backupEligible), \(fresh.backedUp), \(fresh.model),
                        \(fresh.transports), \(fresh.format.rawValue),
                    \(fresh.type.rawValue), \(fresh.trust.rawValue), \(statement), \(clock.now()))
            on conflict (id) do nothing
            """) == 1
    }

    /// What a right assertion left behind. The counter is compared with what the row says under its lock: of two
    /// assertions with one count, one went back.
    public struct Use: Sendable {
        public let passkey: Passkey
        public let counterRegressed: Bool
        public let eligibilityChanged: Bool
    }

    /// Writes down an assertion that was verified against `passkey` as it was read; its counter never goes down. With
    /// `strictly` one whose counter regressed leaves nothing but that behind. `nil` when the passkey is gone, or its id
    /// is another key's by now.
    public func use(
        _ passkey: Passkey, _ outcome: AssertionOutcome, strictly: Bool, in transaction: any SQLExecutor
    ) async throws -> Use? {
        guard let held = try await hold(passkey.id, in: transaction), held.key == passkey.key,
            held.flow == passkey.flow, held.wallet == passkey.wallet
        else {
            return nil
        }
        let regressed = (outcome.newCount != 0 || held.counter != 0) && outcome.newCount <= held.counter
        let now = clock.now(), flaggedAt = regressed ? now : held.flaggedAt
        if regressed, strictly {
            _ = try await transaction.execute("update passkey set flagged_at = \(now) where id = \(held.id)")
            return Use(passkey: held, counterRegressed: true, eligibilityChanged: false)
        }
        _ = try await transaction.execute(
            """
            update passkey set sign_count = \(Int64(max(outcome.newCount, held.counter))),
                flagged_at = \(flaggedAt), last_used_at = \(now),
                   uv_initialized = uv_initialized or \(outcome.userVerified),
                       backup_eligible = \(outcome.backupEligible), backed_up = \(outcome.backedUp)
            where id = \(held.id)
            """)
        return Use(
            passkey: held, counterRegressed: regressed,
            eligibilityChanged: outcome.backupEligible != held.backupEligible)
    }
}
