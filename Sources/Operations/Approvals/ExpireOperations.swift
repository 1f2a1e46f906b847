import Base
import Database
import Foundation
import TokenTree

/// Writes what has come by itself: expiry, and the end of app tokens. Reading never does. Rows that somebody holds are
/// left to the next time, so that it waits for nobody; only operations are locked, never registrations.
struct ExpireOperations: Sendable {
    static let page = 100

    let database: Database
    let decisions: Decisions
    let changes: ChangeBoard

    /// At most 100; how many.
    func callAsFunction() async throws -> Int {
        let ended = try await database.atomically { transaction in
            var ended: [PhoneOperation] = []
            for operation in try await decisions.store.lockOverdue(ExpireOperations.page, in: transaction) {
                let end = OperationStore.End(statusReason: operation.statusReason)
                let after = try await decisions.store.finish(operation, as: operation.status, end, in: transaction)
                try await decisions.ended(
                    after, after.status == .canceled ? "cancel" : "expire", by: .server, in: transaction)
                ended.append(after)
            }
            return ended
        }
        for operation in ended { await changes.announce(operation.id, in: database) }
        if !ended.isEmpty { await decisions.wake(in: database) }
        return ended.count
    }
}

/// Deletes what has been over for long.
struct TidyOperations: Sendable {
    static let operationsKept: TimeInterval = 365 * 86_400
    static let messagesKept: TimeInterval = 365 * 86_400
    static let eventsKept: TimeInterval = 30 * 86_400
    /// From their beginning, of logins that anybody's browser begins and no phone claims: as long as a login lasts.
    static let unclaimedKept: TimeInterval = 3_000

    let clock: WallClock

    func callAsFunction(in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.batch([
            """
            delete from phone_operation where status <> 'PENDING'
                and finished_at < \(now.addingTimeInterval(-TidyOperations.operationsKept))
            """,
            """
            delete from phone_operation
            where owner = \(OperationsCaller.idpOwner) and user_id is null and expires_at < \(now)
              and created_at < \(now.addingTimeInterval(-TidyOperations.unclaimedKept))
            """,
            """
            delete from phone_offline_nonce n using phone_operation x where x.id = n.operation
                and x.status <> 'PENDING'
            """,
            """
            delete from phone_inbox_message where created_at <
                \(now.addingTimeInterval(-TidyOperations.messagesKept))
            """,
            """
            delete from operations_callback_event where created_at <
                \(now.addingTimeInterval(-TidyOperations.eventsKept))
            """,
            "delete from phone_push where expires_at <= \(now)",
            """
            delete from operation_template t
            where t.replaced_at < \(now.addingTimeInterval(-86_400)) and not exists (select from phone_operation x
                where x.template = t.id)
            """,
        ])
    }
}
