import Base
import Database

/// What of this room hangs on the master key, for its rotation; whatever roles run.
public struct OperationsSecrets: Sendable {
    private let vault: SealedColumns
    private let clock: WallClock

    public init(master: MasterKey, clock: WallClock) { (vault, self.clock) = (SealedColumns(master: master), clock) }

    /// How many secrets were sealed anew under `successor`. Activation codes of the server that no phone has taken are
    /// over: they come from the master key (`ApprovalPhoneCodes`), so a page would show another one than the row knows.
    ///
    /// Throws `ForeignSeal` when a secret is sealed under neither key; then nothing of the transaction counts.
    public func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        let count = try await vault.reseal(under: successor, in: transaction)
        _ = try await transaction.execute(
            """
            update phone_registration r set \(RegistrationStore.removal(at: clock.now()))
                where r.owner = \(OperationsCaller.idpOwner) and r.state = 'CREATED'
            """)
        return count
    }
}
