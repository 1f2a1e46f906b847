import Base
import Database
import Foundation
import TokenTree

/// Clients that registered themselves and were never used are deleted, once a day: nothing was ever issued to them, so
/// nobody loses anything but a registration. One to which something was issued, or to which a person has agreed, stays
/// for its operator, and so do those that an operator made. What was done to one stands in the audit trail, and it
/// counts from the last of that: of one that was revoked as a whole nothing else is left when the revocation is
/// forgotten.
extension RegisterClient {
    static let mostUnused = 1_000

    /// `unused` is in seconds; `nil` for never.
    public func forgetUnused(after unused: TimeInterval?, databaseClock: DatabaseClock = .ofServer) async throws {
        guard let unused else { return }
        let limit = clock.now().addingTimeInterval(-unused)
        let reason = "never used for \(Int(unused / 86_400)) days"
        try await DailyTurn("client", database: database, clock: clock, databaseClock: databaseClock).take { _ in
            let ids: [String] = try await database.query(
                """
                select c.id from client c where \(RegisterClient.isUnused(since: limit))
                order by c.created_at limit \(RegisterClient.mostUnused)
                """
            ).map { try $0("id") }
            for id in ids { try await forget(id, since: limit, because: reason) }
            return ids.count < RegisterClient.mostUnused ? nil : [:]
        }
    }

    /// In the order of who deletes one: whoever issues holds the row, so the question is asked again behind its lock.
    private func forget(_ id: String, since limit: Date, because reason: String) async throws {
        let actor = AuditActor.server.because(reason)
        try await database.atomically { transaction in
            guard try await clients.find(id, locking: true, in: transaction) != nil else { return }
            let still = try await transaction.query(
                "select c.id from client c where c.id = \(id) and \(RegisterClient.isUnused(since: limit))")
            guard !still.isEmpty else { return }
            _ = try await clients.delete(id, in: transaction)
            try await revocation.hold(Ancestor(.client, id), in: transaction)
            try await revocation.revoke(.virtual(Ancestor(.client, id)), by: actor, in: transaction)
            try await audit("clients.delete", id, by: actor, in: transaction)
        }
    }

    /// Of row `c`. The first that is issued to a client opens its node; what an operator gave it is theirs.
    private static func isUnused(since limit: Date) -> SQL {
        """
        c.registration_token is not null and c.created_at < \(limit) and c.institution is null
            and not exists (select from ancestor a where a.kind = 'client' and a.name = c.id)
            and not exists (select from revocation r where r.label = 'client:' || c.id)
            and not exists (select from audit l where l.node = 'client:' || c.id and l.at >= \(limit))
            and not exists (select from consent k where k.client = c.id)
            and not exists (select from authorization_request q where q.client = c.id)
            and not exists (select from device_authorization d where d.client = c.id)
            and not exists (select from disclosure x where x.client = c.id)
            and not exists (select from service s where s.client = c.id)
        """
    }
}
