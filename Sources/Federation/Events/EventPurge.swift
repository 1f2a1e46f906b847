import Base
import Database
import Foundation

/// What is forgotten of events, in batches; the rules are in docs/token-tree.md, "What is forgotten".
public struct EventPurge: Sendable {
    /// Rows of one statement.
    static let batch = 1_000
    /// Statements of one round and rule; the next round goes on.
    static let most = 200
    /// A sender gives up what nobody takes at its next attempt, within five minutes. What nobody tries to push waits
    /// this much longer, so that none is given up here that would have been tried now.
    static let grace: TimeInterval = 3_600

    let database: Database
    let kept: TimeInterval
    let patience: TimeInterval
    let clock: WallClock

    /// In seconds: for how long settled events are kept, and for how long others are tried.
    public init(database: Database, kept: TimeInterval, patience: TimeInterval, clock: WallClock) {
        (self.database, self.kept, self.patience, self.clock) = (database, kept, patience, clock)
    }

    public func forget() async throws {
        try await giveUp()
        try await forgetSettled()
        try await forgetRemoved()
    }

    /// What neither a push nor a poll has settled.
    private func giveUp() async throws {
        let now = clock.now(), limit = now.addingTimeInterval(-patience - EventPurge.grace)
        let rows = try await database.query(
            """
            select distinct o.service from outbox o
            where o.settled_at is null and coalesce(o.tried_from, o.created_at) <= \(limit) order by o.service
            """)
        for row in rows {
            _ = try await database.batch(
                EventSettlement.giveUp(
                    try row("service"), triedBefore: limit, because: "nobody took it in time", at: now))
        }
    }

    private func forgetSettled() async throws {
        let limit = clock.now().addingTimeInterval(-kept)
        try await repeated {
            """
            delete from outbox where (service, seq) in (
                select o.service, o.seq from outbox o where o.settled_at < \(limit)
                order by o.settled_at limit \(EventPurge.batch))
            """
        }
    }

    /// A service that was removed takes its events along when it has heard of its end, or when there was patience
    /// enough. An event that comes later begins a new row, which goes the same way.
    private func forgetRemoved() async throws {
        let limit = clock.now().addingTimeInterval(-patience)
        let rows = try await database.query(
            """
            select s.id from service s join delivery d on d.service = s.id
            where s.status = 'removed' and (d.acknowledged = d.last or s.changed_at < \(limit)) order by s.id
            """)
        for row in rows {
            let service: String = try row("id")
            try await repeated {
                """
                delete from outbox where service = \(service) and seq in (
                    select o.seq from outbox o where o.service = \(service) order by o.seq limit \(EventPurge.batch))
                """
            }
            // The lock comes first: an event that is being appended is seen by the second statement.
            _ = try await database.batch([
                EventSettlement.lock(service),
                """
                delete from delivery d where d.service = \(service)
                    and not exists (select from outbox o where o.service = d.service)
                """,
            ])
        }
    }

    private func repeated(_ delete: () -> SQL) async throws {
        for _ in 0..<EventPurge.most where try await database.execute(delete()) < EventPurge.batch { return }
    }
}
