import Base
import Database
import Foundation
import TokenTree

/// What comes before the end of the epoch, which may follow a restored backup (docs/operate.md, "Backups"): services
/// may have heard, and hold, more than the database knows of.
public enum EventRestart {
    /// Numbers go on with the milliseconds since 1970, far above all that were ever given, so none comes twice, and who
    /// has heard more than we know of sees a gap. And each service is told, also of whom the backup does not know that
    /// it holds anything.
    ///
    /// In the transaction that revokes the epoch, before it does.
    public static func prepare(at now: Date, in transaction: any SQLExecutor) async throws {
        let services: [String] = try await transaction.query(
            "select s.id from service s where s.status in ('active', 'suspended') order by s.id"
        ).map { try $0("id") }
        try await Epoch.reach(services, in: transaction)
        let number = Int(now.timeIntervalSince1970 * 1_000)
        _ = try await transaction.batch([
            // In the order in which events are appended.
            "select service from delivery order by service for update",
            """
            update delivery set last = greatest(last + 1, \(number)),
                acknowledged = case when acknowledged = last then greatest(last + 1, \(number))
                    else acknowledged end
            """,
        ])
    }
}
