import Base
import Database
import PowerAuth

/// Rows of `phone_token`: what a phone reads with between signatures (protocols/operations.md, 4.9).
struct PhoneTokenStore: Sendable {
    /// A phone keeps one; older ones of a registration make room.
    static let most = 20

    let vault: SealedColumns
    let clock: WallClock
    let randomness: Randomness

    struct Made: Sendable {
        let id: String
        let secret: SecretBytes
    }

    /// `factor` is that of the signature which asked for it. The registration is held.
    func make(
        for registration: PhoneRegistration, factor: FactorType, in transaction: any SQLExecutor
    ) async throws -> Made {
        let made = Made(id: OperationID.fresh(randomness), secret: SecretBytes(randomness.bytes(16)))
        let sealed = try vault.seal(made.secret, .tokenSecret, of: made.id)
        _ = try await transaction.execute(
            """
            delete from phone_token where id in (
                select t.id from phone_token t where t.registration = \(registration.id)
                    order by t.created_at desc, t.id offset \(PhoneTokenStore.most - 1))
            """)
        _ = try await transaction.execute(
            """
            insert into phone_token (id, registration, factor, secret, secret_sealed_by, created_at)
            values (\(made.id), \(registration.id), \(factor.rawValue), \(sealed.bytes), \(sealed.by), \(clock.now()))
            """)
        return made
    }

    /// Of its own registration only; one that is gone already is as well removed.
    func remove(_ id: String, of registration: PhoneRegistration, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from phone_token where id = \(id) and registration = \(registration.id)")
    }
}
