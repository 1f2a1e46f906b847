import Base
import Database
import Foundation

/// Blocks that end by themselves, where an application has them. Reading knows without a write that one is over; this
/// writes it, for those who are told and for the audit: with the phone's next signature, or by a worker.
struct BlockEnds: Sendable {
    static let page = 100

    let registrations: RegistrationStore
    let events: RegistrationEvents
    let clock: WallClock

    /// Of one that the transaction holds.
    func lift(_ registration: PhoneRegistration, in transaction: any SQLExecutor) async throws -> PhoneRegistration {
        let lifted = try await registrations.update(registration, RegistrationStore.lifting, in: transaction)
        try await OperationsAudit.write(
            "operations.registration.unblock", .server, about: OperationsAudit.node(lifted.id), outcome: "expired",
            at: clock.now(), in: transaction)
        try await events.tell(RegistrationEvent(kind: .unblocked, registration: lifted), transaction)
        return lifted
    }

    /// At most 100; how many. Side by side with other workers, and without waiting for phones.
    func callAsFunction(in database: Database) async throws -> Int {
        let now = clock.now()
        return try await database.atomically { transaction in
            let due = try await transaction.query(
                """
                select \(PhoneRegistration.columns) from phone_registration r
                    join phone_application p on p.id = r.application
                where r.blocked_until <= \(now) order by r.blocked_until limit \(BlockEnds.page)
                for no key update of r skip locked
                """
            ).map { try PhoneRegistration($0, at: now) }
            for registration in due { _ = try await lift(registration, in: transaction) }
            return due.count
        }
    }

    /// When the next one ends; `nil` without any.
    static func next(in executor: any SQLExecutor) async throws -> Date? {
        try await executor.query("select min(r.blocked_until) as at from phone_registration r").first?("at")
    }
}
