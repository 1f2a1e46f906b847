import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Rows of `phone_registration`. Whoever changes one holds its lock from reading to writing: the counter moves, and
/// failures count, one after another. Lock order of the room: a registration before an operation.
struct RegistrationStore: Sendable {
    static let pageSize = 100

    let vault: SealedColumns
    let clock: WallClock

    // MARK: Reading

    func find(_ id: String, in executor: any SQLExecutor) async throws -> PhoneRegistration? {
        try await one("r.id = \(id)", in: executor)
    }

    /// For whom it exists.
    func find(
        _ id: String, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> PhoneRegistration {
        guard let found = try await one("r.id = \(id) and \(RegistrationStore.visible(caller))", in: executor) else {
            throw BackOfficeRefusal.registrationNotFound
        }
        return found
    }

    /// The newest first; `after` is the `next` of the page before.
    func list(
        user: String, after: String?, for caller: OperationsCaller, in executor: any SQLExecutor
    ) async throws -> RegistrationPage {
        let now = clock.now()
        let rest: SQL =
            after.map {
                """
                and (r.created_at, r.id) < (select c.created_at, c.id from phone_registration c where c.id = \($0)
                    and c.user_id = \(user))
                """
            } ?? ""
        let rows = try await executor.query(
            """
            select \(PhoneRegistration.columns) from phone_registration r
                join phone_application p on p.id = r.application
            where r.user_id = \(user) and \(RegistrationStore.visible(caller)) \(rest)
            order by r.created_at desc, r.id desc limit \(RegistrationStore.pageSize + 1)
            """)
        let registrations = try rows.prefix(RegistrationStore.pageSize).map { try PhoneRegistration($0, at: now) }
        return RegistrationPage(
            registrations: registrations, next: rows.count > RegistrationStore.pageSize ? registrations.last?.id : nil)
    }

    /// All that the user has or is about to have, most recently used first: neither what is removed nor what comes too
    /// late. `held`: locked until the transaction ends, one after another.
    func standing(
        user: String, for caller: OperationsCaller, held: Bool = false, in executor: any SQLExecutor
    ) async throws -> [PhoneRegistration] {
        let order: SQL =
            held
            ? "order by r.id for no key update of r"
            : "order by r.last_used_at desc nulls last, r.created_at desc, r.id"
        let now = clock.now()
        return try await executor.query(
            """
            select \(PhoneRegistration.columns) from phone_registration r
                join phone_application p on p.id = r.application
            where r.user_id = \(user) and \(RegistrationStore.visible(caller))
              and (r.state in ('ACTIVE', 'BLOCKED') or (r.state in ('CREATED', 'PENDING_COMMIT')
                  and r.expires_at > \(now)))
            \(order)
            """
        ).map { try PhoneRegistration($0, at: now) }
    }

    /// The statement that reads one which can sign, with what an app version of its application signs with
    /// (`ApplicationStore.opened`); no row for anything else. `row_version` is another after each change.
    static func signing(_ id: String, version applicationKey: String) -> SQL {
        """
        select \(PhoneRegistration.columns), r.xmin::text as row_version, v.application_key, v.secret,
            v.secret_sealed_by, v.supported
        from phone_registration r join phone_application p on p.id = r.application
            join phone_application_version v on v.application = p.id
        where r.id = \(id) and r.state = 'ACTIVE' and v.application_key = \(applicationKey) and v.supported
        """
    }

    // MARK: Holding

    /// Locked until the transaction ends. The lock lets references to the row through.
    func hold(_ id: String, in transaction: any SQLExecutor) async throws -> PhoneRegistration? {
        try await one("r.id = \(id)", held: true, in: transaction)
    }

    func hold(
        _ id: String, for caller: OperationsCaller, in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let found = try await one("r.id = \(id) and \(RegistrationStore.visible(caller))", held: true, in: transaction)
        guard let found else { throw BackOfficeRefusal.registrationNotFound }
        return found
    }

    /// That which waits for this activation code, in this application alone. Of all who show one code at once, the
    /// first finds it.
    func hold(code: [UInt8], application: String, in transaction: any SQLExecutor) async throws -> PhoneRegistration? {
        try await one("r.code_hash = \(code) and r.application = \(application)", held: true, in: transaction)
    }

    private func one(
        _ condition: SQL, held: Bool = false, in executor: any SQLExecutor
    ) async throws -> PhoneRegistration? {
        let lock: SQL = held ? "for no key update of r" : ""
        return try await executor.query(
            """
            select \(PhoneRegistration.columns) from phone_registration r
                join phone_application p on p.id = r.application where \(condition) \(lock)
            """
        ).first.map { try PhoneRegistration($0, at: clock.now()) }
    }

    private static func visible(_ caller: OperationsCaller) -> SQL {
        "(\(caller.owner)::text is null or r.owner = \(caller.owner))"
    }

    // MARK: Changing

    /// `change` is the `set` list; gives the row as it is afterwards.
    func update(
        _ registration: PhoneRegistration, _ change: SQL, in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        let row = try await transaction.query(
            """
            update phone_registration r set \(change) from phone_application p where p.id = r.application
                and r.id = \(registration.id)
            returning \(PhoneRegistration.columns)
            """
        ).first
        guard let row else { throw DatabaseError.serialization }
        return try PhoneRegistration(row, at: clock.now())
    }

    /// A right signature: the counter stands behind the match. Two factors take back what failed.
    func advance(
        _ registration: PhoneRegistration, to move: CounterMove, resetting: Bool,
        in transaction: any SQLExecutor
    ) async throws -> PhoneRegistration {
        try await update(
            registration, RegistrationStore.advancing(to: move, resetting: resetting, at: clock.now()),
            in: transaction)
    }

    /// The `set` list that does so.
    static func advancing(to move: CounterMove, resetting: Bool, at now: Date) -> SQL {
        let failed: SQL = resetting ? "0, blocks = 0" : "r.failed"
        let secrets: SQL =
            move.secrets.map { ", secrets = \($0.bytes), secrets_sealed_by = \($0.by)" as SQL } ?? ""
        return """
            ctr_data = \(move.next), ctr_byte = (r.ctr_byte + \(move.steps)) % 256, failed = \(failed), \
            last_used_at = \(now)\(secrets)
            """
    }

    /// The `set` list that ends a block that is over; attempts are full again.
    static let lifting: SQL = "state = 'ACTIVE', failed = 0, blocked_reason = null, blocked_until = null"

    /// A wrong PIN, biometry or offline code. The counter stays; the last try blocks: for as long as its application
    /// says of the first such block, the second and so on, and behind those for good.
    func strike(_ registration: PhoneRegistration, in transaction: any SQLExecutor) async throws -> PhoneRegistration {
        try await update(
            registration,
            """
            failed = least(r.failed + 1, r.max_failed),
            state = case when r.state = 'ACTIVE' and r.failed + 1 >= r.max_failed then 'BLOCKED' else r.state end,
            blocked_reason = case when r.state = 'ACTIVE' and r.failed + 1 >= r.max_failed then \
            \(RegistrationStore.tooManyFailures) else r.blocked_reason end,
            blocked_until = case when r.state = 'ACTIVE' and r.failed + 1 >= r.max_failed then \
            \(clock.now())::timestamptz + make_interval(mins => p.block_minutes[r.blocks + 1]) \
            else r.blocked_until end,
            blocks = case when r.state = 'ACTIVE' and r.failed + 1 >= r.max_failed then r.blocks + 1 else r.blocks end
            """, in: transaction)
    }

    static let tooManyFailures = "MAX_FAILED_ATTEMPTS"

    /// For good: its tokens and temporary keys go, what was typed to begin it too. Its keys stay, since the phone may
    /// still ask for its status.
    func remove(_ registration: PhoneRegistration, in transaction: any SQLExecutor) async throws -> PhoneRegistration {
        _ = try await transaction.batch([
            "delete from phone_token where registration = \(registration.id)",
            "delete from phone_temporary_key where registration = \(registration.id)",
        ])
        return try await update(registration, RegistrationStore.removal(at: clock.now()), in: transaction)
    }

    /// The `set` list that removes.
    static func removal(at now: Date) -> SQL {
        """
        state = 'REMOVED', removed_at = coalesce(r.removed_at, \(now)), code_hash = null, otp = null,
            otp_sealed_by = null, upgrade = null, upgrade_sealed_by = null,
        push_platform = null, push_token = null, push_environment = null, push_language = null,
        blocked_until = null
        """
    }
}
