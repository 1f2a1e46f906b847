import Base
import Database
import Foundation

/// Deletes what has been over for long. Identities stay until somebody removes them.
struct Housekeeping: Sendable {
    static let enrollmentsKept: TimeInterval = 30 * 86_400
    static let authenticationsKept: TimeInterval = 86_400
    /// From their beginning, of those that the login page of the IdP begins for whoever opens it, and that nobody
    /// answered: as long as a login lasts.
    static let unansweredKept: TimeInterval = 3_000

    let clock: WallClock

    func tidy(in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.batch([
            "delete from tiqr_enrollment where expires_at < \(now.addingTimeInterval(-Housekeeping.enrollmentsKept))",
            """
            delete from tiqr_authentication where expires_at <
                \(now.addingTimeInterval(-Housekeeping.authenticationsKept))
            """,
            """
            delete from tiqr_authentication
            where owner = 'house' and state <> 'authenticated' and expires_at < \(now)
              and created_at < \(now.addingTimeInterval(-Housekeeping.unansweredKept))
            """,
            "delete from tiqr_push where expires_at <= \(now)",
        ])
    }
}
