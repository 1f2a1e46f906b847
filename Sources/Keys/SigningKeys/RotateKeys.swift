import Base
import Database
import Foundation

/// The admin functions. They take an executor, so that the CLI can run them in a transaction that it rolls back.
extension SigningKeys {
    /// The channel that says: read `signing_key` again. The payload is empty.
    public static let channel = "pando_keys"

    /// Kids after a rotation: by algorithm in the order of the settings, then oldest first.
    public struct Rotation: Sendable, Equatable {
        public let active: [String]
        public let next: [String]
        public let retiring: [String]
    }

    /// What became of a key that was revoked.
    public struct Revoked: Sendable, Equatable {
        /// It had been before.
        public let already: Bool
        /// What counts for nothing since now: the key itself, and the next one of its algorithm. Empty when `already`.
        public let kids: [String]
        /// Of its algorithm; `nil` where none is made any more.
        public let active: String?
        public let next: String?
    }

    /// Every key but the retired ones, oldest first.
    public static func list(_ executor: any SQLExecutor) async throws(DatabaseError) -> [SigningKeyRow] {
        try await SigningKeyRow.listed(executor)
    }

    /// The key of ours that made a signature, whatever has become of it: for explaining. Whether it counts is told by
    /// `verify`.
    public static func origin(of jwt: JWT, _ executor: any SQLExecutor) async throws -> SigningKeyRow? {
        guard let kid = jwt.kid, let row = try await SigningKeyRow.find(kid, executor),
            let key = try? await JSONWebKey(row.publicKey)
        else { return nil }
        return jwt.isSigned(by: key) ? row : nil
    }

    public nonisolated func list(_ executor: any SQLExecutor) async throws(DatabaseError) -> [SigningKeyRow] {
        try await SigningKeys.list(executor)
    }

    /// Makes the next key of every configured algorithm, or of one, the active one, and announces another. `executor`
    /// is a transaction.
    ///
    /// With `now: false` throws `Failure.notAnnounced` while the next key is too young; with `now: true` relying
    /// parties that cache our key set may refuse new tokens until they read it again. Throws `Failure` and
    /// `DatabaseError`.
    public nonisolated func rotate(
        now immediately: Bool, only: SigningAlgorithm? = nil, _ executor: any SQLExecutor
    ) async throws -> Rotation {
        try await lock(executor)
        let rows = try await SigningKeyRow.all(executor)
        try await perform(
            try RotationPlan.forced(
                now: immediately, only: only, rows, settings, master: masterKey.id, now: clock.now()), executor)
        let after = try await SigningKeyRow.all(executor)
        let order = settings.algorithms.map(\.rawValue)
        func kids(_ status: SigningKeyRow.Status) -> [String] {
            let rows = after.filter { $0.status == status }
            return (order.flatMap { name in rows.filter { $0.alg == name } } + rows.filter { !order.contains($0.alg) })
                .map(\.kid)
        }
        return Rotation(active: kids(.active), next: kids(.next), retiring: kids(.retiring))
    }

    /// Ends trust in a key that others may hold, on every process at once, and replaces it. What hangs below it in the
    /// token tree is the caller's to revoke, in the same transaction: `executor`. Throws `Failure.unknownKey` and
    /// `DatabaseError`.
    public nonisolated func revoke(_ kid: String, _ executor: any SQLExecutor) async throws -> Revoked {
        try await lock(executor)
        guard let key = try await SigningKeyRow.find(kid, executor) else { throw Failure.unknownKey(kid: kid) }
        let steps = RotationPlan.compromised(key, try await SigningKeyRow.all(executor), settings)
        try await perform(steps, executor)
        let after = try await SigningKeyRow.all(executor).filter { $0.alg == key.alg }
        let ended = steps.compactMap { if case .revoke(let kid) = $0 { kid } else { nil } }
        return Revoked(
            already: steps.isEmpty, kids: ended, active: after.first { $0.status == .active }?.kid,
            next: after.first { $0.status == .next }?.kid)
    }

    /// Seals every private half under `successor`; for the rotation of the master key. `executor` is a transaction.
    /// Returns how many. Throws `Failure.wrongMasterKey` when a key is sealed under neither.
    public nonisolated func reseal(under successor: MasterKey, _ executor: any SQLExecutor) async throws -> Int {
        try await lock(executor)
        let rows = try await SigningKeyRow.all(executor).filter { !$0.sealed.isEmpty && $0.sealedBy != successor.id }
        for row in rows {
            let sealed = try successor.seal(try open(row), row: SigningKeyRow.sealingRow(kid: row.kid))
            try await executor.execute(
                "update signing_key set private = \(sealed), sealed_by = \(successor.id) where kid = \(row.kid)")
        }
        try await notify(executor)
        return rows.count
    }

    /// The private half, as PEM.
    nonisolated func open(_ row: SigningKeyRow) throws(Failure) -> SecretBytes {
        guard row.sealedBy == masterKey.id else {
            throw .wrongMasterKey(kid: row.kid, sealedBy: row.sealedBy, ours: masterKey.id)
        }
        do { return try masterKey.open(row.sealed, row: SigningKeyRow.sealingRow(kid: row.kid)) } catch {
            throw .damaged(kid: row.kid)
        }
    }

    /// One writer at a time until the end of the transaction, across processes.
    nonisolated func lock(_ executor: any SQLExecutor) async throws(DatabaseError) {
        _ = try await executor.query(
            "select 1 from (select pg_advisory_xact_lock(hashtextextended('pando signing_key', 0))) locked")
    }

    private nonisolated func notify(_ executor: any SQLExecutor) async throws(DatabaseError) {
        _ = try await executor.query("select 1 from (select pg_notify(\(channel), '')) notified")
    }

    /// Writes the steps and tells everyone.
    nonisolated func perform(_ steps: [RotationPlan.Step], _ executor: any SQLExecutor) async throws {
        guard !steps.isEmpty else { return }
        for step in steps { try await perform(step, at: clock.now(), executor) }
        try await notify(executor)
    }

    private nonisolated func perform(_ step: RotationPlan.Step, at now: Date, _ executor: any SQLExecutor) async throws
    {
        let nothing: [UInt8] = []
        switch step {
        case .retire(let kid):
            // It never signs again, so its private half goes.
            try await executor.execute(
                """
                update signing_key set status = 'retiring', retire_at = \(now + settings.retention),
                    private = \(nothing)
                where kid = \(kid) and status = 'active'
                """)
        case .promote(let kid):
            try await executor.execute(
                "update signing_key set status = 'active', not_before = \(now) where kid = \(kid) and status = 'next'")
        case .discard(let kid):
            try await executor.execute("delete from signing_key where kid = \(kid) and status = 'next'")
        case .revoke(let kid):
            try await executor.execute(
                """
                update signing_key set status = 'revoked', retire_at = \(now), private = \(nothing)
                    where kid = \(kid) and status <> 'revoked'
                """
            )
        case .forget(let kid):
            try await executor.execute(
                "update signing_key set status = 'retired' where kid = \(kid) and status = 'retiring'")
        case .make(let algorithm, let status):
            let (key, pem) = try await PrivateSigningKey.named(algorithm, randomness: randomness)
            let sealed = try masterKey.seal(pem, row: SigningKeyRow.sealingRow(kid: key.publicKey.thumbprint))
            let notBefore = status == .next ? now + settings.announcement : now
            try await SigningKeyRow.insert(
                key, sealed: sealed, sealedBy: masterKey.id, status: status, at: now, notBefore: notBefore, executor)
        }
    }
}
