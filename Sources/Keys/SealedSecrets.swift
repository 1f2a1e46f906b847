import Base
import Database

/// Keys that must outlive a change of the master key, sealed by it in `sealed_secret`. Made once, by whoever asks
/// first.
public struct SealedSecrets: Sendable {
    /// One was sealed under neither the key that this process has nor the new one.
    public struct OtherMasterKey: Error, Equatable, CustomStringConvertible {
        public let name: String, sealedBy: String, ours: String
        public var description: String {
            "the sealed secret `\(name)` is sealed by master key \(sealedBy), and this process has \(ours)"
        }
    }

    let master: MasterKey
    let clock: WallClock
    let randomness: Randomness

    public init(master: MasterKey, clock: WallClock, randomness: Randomness) {
        (self.master, self.clock, self.randomness) = (master, clock, randomness)
    }

    /// 256 bits of that name.
    public func named(_ name: String, in executor: any SQLExecutor) async throws -> SecretBytes {
        let row = SealedSecrets.row(name)
        let fresh = try master.seal(randomness.secret(), row: row)
        _ = try await executor.execute(
            """
            insert into sealed_secret (name, sealed, sealed_by, created_at)
                values (\(name), \(fresh), \(master.id), \(clock.now())) on conflict (name) do nothing
            """)
        let rows = try await executor.query("select sealed from sealed_secret where name = \(name)")
        guard let found = rows.first else { throw DatabaseError.serialization }
        return try master.open(try found("sealed"), row: row)
    }

    /// Seals all anew under `successor`; how many. Until the transaction ends nobody makes another. Throws
    /// `OtherMasterKey`, `MasterKey.Unsealable` and `DatabaseError`; then nothing of the transaction counts.
    public func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        _ = try await transaction.execute("lock table sealed_secret in share row exclusive mode")
        let rows = try await transaction.query(
            "select name, sealed, sealed_by from sealed_secret where sealed_by <> \(successor.id) order by name")
        for row in rows {
            let name: String = try row("name"), sealedBy: String = try row("sealed_by")
            guard sealedBy == master.id else { throw OtherMasterKey(name: name, sealedBy: sealedBy, ours: master.id) }
            let sealed = try successor.seal(
                try master.open(try row("sealed"), row: SealedSecrets.row(name)), row: SealedSecrets.row(name))
            _ = try await transaction.execute(
                "update sealed_secret set sealed = \(sealed), sealed_by = \(successor.id) where name = \(name)")
        }
        return rows.count
    }

    private static func row(_ name: String) -> String { "sealed_secret \(name)" }
}
