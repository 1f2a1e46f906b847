import Base
import Database

/// What of this room hangs on the master key, for its rotation; whatever roles run.
public struct TiqrSecrets: Sendable {
    private let store: IdentityStore

    public init(master: MasterKey, clock: WallClock) { store = IdentityStore(master: master, clock: clock) }

    /// How many secrets were sealed anew under `successor`. What is under way is cancelled: the keys in its links come
    /// from the master key, so a code typed for it would count as wrong, and a phone that reads metadata would be sent
    /// to nowhere.
    ///
    /// Throws `OtherMasterKey` when a secret is sealed under neither key; then nothing of the transaction counts.
    public func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        let count = try await store.reseal(under: successor, in: transaction), now = store.clock.now()
        _ = try await transaction.batch([
            """
            update tiqr_enrollment set state = 'cancelled', version = version + 1
                where state in ('initialized', 'retrieved') and expires_at > \(now)
            """,
            """
            update tiqr_authentication set state = 'cancelled', version = version + 1 where state = 'pending'
                and expires_at > \(now)
            """,
        ])
        return count
    }
}
