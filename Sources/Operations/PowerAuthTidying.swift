import Base
import Database
import Foundation
import TokenTree

/// Writes down what is over, and deletes what nobody asks for any more. Registrations that had a phone stay longer: it
/// may still ask for its status.
struct PowerAuthTidying: Sendable {
    /// How long a registration that never had a phone can still be read.
    static let unusedKept: TimeInterval = 30 * 86_400
    /// How long one that had a phone keeps its keys after its end. Then a phone that asks for its status hears noise,
    /// which it reads as removed.
    static let removedKept: TimeInterval = 90 * 86_400
    static let batch = 100

    let parts: PowerAuthServices

    func tidy() async throws {
        let now = parts.clock.now()
        while try await end(at: now) == PowerAuthTidying.batch {}
        _ = try await parts.database.batch([
            "delete from phone_temporary_key where expires_at <= \(now)",
            """
            delete from phone_registration where state = 'REMOVED'
                and removed_at < \(now.addingTimeInterval(-PowerAuthTidying.unusedKept))
                and (device_key is null or removed_at < \(now.addingTimeInterval(-PowerAuthTidying.removedKept)))
            """,
        ])
    }

    /// Codes that nobody used and exchanges that nobody committed; how many. Side by side with other workers, and
    /// without waiting for phones.
    private func end(at now: Date) async throws -> Int {
        try await parts.database.atomically { transaction in
            let due = try await transaction.query(
                """
                select \(PhoneRegistration.columns) from phone_registration r
                    join phone_application p on p.id = r.application
                where r.state in ('CREATED', 'PENDING_COMMIT') and r.expires_at <= \(now)
                order by r.expires_at limit \(PowerAuthTidying.batch) for no key update of r skip locked
                """
            ).map { try PhoneRegistration($0, at: now) }
            for registration in due {
                let removed = try await parts.registrations.remove(registration, in: transaction)
                try await OperationsAudit.write(
                    "operations.registration.remove", .server, about: OperationsAudit.node(removed.id),
                    outcome: "expired", at: now,
                    in: transaction)
                try await parts.events.tell(RegistrationEvent(kind: .removed, registration: removed), transaction)
            }
            return due.count
        }
    }
}
