import Base
import Database
import Foundation

/// How much apps begin in the name of one person: a loop in one of them neither fills the disk nor rings a phone
/// without end. Services know their people, and have no such bound.
///
/// `AttemptLimit` (Accounts) is no measure of this: it counts what goes wrong, and its pauses grow for who uses it
/// every day.
struct AppQuota: Sendable {
    enum Kind: Sendable {
        case operation, registration
        case message(application: String)
    }

    static let pendingOperations = 20
    static let openRegistrations = 5
    /// Of each kind within an hour.
    static let hourly = 60

    let clock: WallClock

    /// Within the transaction that inserts: the person's lock is held until it ends, so what is begun side by side is
    /// counted one after another.
    func admit(_ kind: Kind, by caller: OperationsCaller, in transaction: any SQLExecutor) async throws {
        guard let person = caller.person else { return }
        let owner = try caller.beginner(), lock = NodeID(digestOf: "operations of apps \(owner)").lockNumber
        let results = try await transaction.batch([
            "select pg_advisory_xact_lock(\(lock))", counting(kind, owner), dating(kind, owner, person),
        ])
        let open: Int? = try results[1].first?("count")
        if let refusal = AppQuota.refusal(kind, open ?? 0) { throw refusal }
        let earlier: Date? = try results[2].first?("created_at")
        if let earlier, earlier > clock.now().addingTimeInterval(-3_600) {
            throw BackOfficeRefusal.request(
                "apps have begun \(AppQuota.hourly) of these for this person within an hour: wait")
        }
    }

    private static func refusal(_ kind: Kind, _ open: Int) -> BackOfficeRefusal? {
        switch kind {
        case .operation where open >= pendingOperations:
            .request(
                """
                \(pendingOperations) operations that apps have begun wait for this person: wait until some are \
                decided, or cancel them
                """
            )
        case .registration where open >= openRegistrations:
            .request("\(openRegistrations) registrations of this person are not finished: finish or remove some")
        case .operation, .registration, .message: nil
        }
    }

    /// How many are not over yet.
    private func counting(_ kind: Kind, _ owner: String) -> SQL {
        let now = clock.now()
        return switch kind {
        case .operation:
            """
            select count(*) as count from phone_operation x where x.owner = \(owner) and x.status = 'PENDING'
                and x.expires_at > \(now) and not \(OperationID.isRevoked)
            """
        case .registration:
            """
            select count(*) as count from phone_registration r where r.owner = \(owner)
                and r.state in ('CREATED', 'PENDING_COMMIT') and r.expires_at > \(now)
                and not \(PhoneRegistration.isRevoked)
            """
        case .message: "select 0::bigint as count"
        }
    }

    /// When the one was begun that makes the hour full, if there are so many.
    private func dating(_ kind: Kind, _ owner: String, _ person: String) -> SQL {
        let last = AppQuota.hourly - 1
        return switch kind {
        case .operation:
            """
            select x.created_at from phone_operation x where x.owner = \(owner)
                order by x.number desc offset \(last) limit 1
            """
        case .registration:
            """
            select r.created_at from phone_registration r where r.owner = \(owner) and r.user_id = \(person)
                order by r.created_at desc offset \(last) limit 1
            """
        case .message(let application):
            """
            select m.created_at from phone_inbox_message m where m.application = \(application)
                and m.user_id = \(person) and m.owner = \(owner)
            order by m.number desc offset \(last) limit 1
            """
        }
    }
}
