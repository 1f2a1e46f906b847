import Base
import Database

/// Keys that must outlive a change of the master key, sealed by it in `sealed_secret`. Made once, by whoever asks first.
public struct SealedSecrets: Sendable {
    let master: MasterKey
    let clock: WallClock
    let randomness: Randomness

    public init(master: MasterKey, clock: WallClock, randomness: Randomness) { (self.master, self.clock, self.randomness) = (master, clock, randomness) }

    /// 256 bits of that name.
    public func named(_ name: String, in executor: any SQLExecutor) async throws -> SecretBytes {
        let row = "sealed_secret \(name)"
        let fresh = try master.seal(randomness.secret(), row: row)
        _ = try await executor.execute("""
            insert into sealed_secret (name, sealed, sealed_by, created_at) values (\(name), \(fresh), \(master.id), \(clock.now())) on conflict (name) do nothing
            """)
        let rows = try await executor.query("select sealed from sealed_secret where name = \(name)")
        guard let found = rows.first else { throw DatabaseError.serialization }
        return try master.open(try found("sealed"), row: row)
    }
}
