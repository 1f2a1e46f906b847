import Base
import Database
import Foundation
import TokenTree

/// What is forgotten of installations: once a day, by one process.
///
/// * One in which nobody has logged in for so long is disconnected, as its person would do it: an app that was tried
///   once. One of somebody who has not used it for long is disconnected only where the operator says after how long,
///   and its person was told `notice` before. Whoever uses the app meanwhile keeps it: by a login, an assertion for a
///   service, a newer version, or a refresh.
/// * One that ended stays for lists and explanations for `endedKept`, then its row goes. Whatever hung below it had
///   ended with it. What keeps its device or key out, here or at a service, is looked up by its name, so it stays.
public struct InstancePurge: Sendable {
    /// How long before its person is told.
    public static let notice: TimeInterval = 14 * 86_400
    public static let endedKept: TimeInterval = 90 * 86_400
    /// Of one round, and of one statement: each end is a transaction of its own.
    static let most = 10_000
    static let batch = 500

    /// Tells a person that an installation of theirs ends at that time, in the transaction that writes that they were
    /// told.
    public typealias Notice =
        @Sendable (_ instance: AppInstance, _ end: Date, _ transaction: any SQLExecutor) async throws -> Void

    let database: Database
    let revocation: Revocation
    /// `nil` for never.
    let unused: TimeInterval?
    let idle: TimeInterval?
    let tell: Notice
    let clock: WallClock
    let databaseClock: DatabaseClock

    /// In seconds: after how long one without a person is disconnected, and one that its person does not use.
    public init(
        database: Database, revocation: Revocation, unused: TimeInterval?, idle: TimeInterval?,
        tell: @escaping Notice = { _, _, _ in }, clock: WallClock, databaseClock: DatabaseClock = .ofServer
    ) {
        (self.database, self.revocation, self.unused, self.idle) = (database, revocation, unused, idle)
        (self.tell, self.clock, self.databaseClock) = (tell, clock, databaseClock)
    }

    public func forget() async throws {
        try await DailyTurn("app_instance", database: database, clock: clock, databaseClock: databaseClock).take { _ in
            let now = clock.now()
            let ended = try await endUnused(at: now), told = try await tellIdle(at: now),
                idle = try await endIdle(
                    at: now)
            let gone = try await forgetEnded(at: now)
            return [ended, told, idle, gone].allSatisfy { $0 < InstancePurge.most } ? nil : [:]
        }
    }

    private func endUnused(at now: Date) async throws -> Int {
        guard let unused else { return 0 }
        let limit = now.addingTimeInterval(-unused)
        return try await end(
            "i.account is null and \(isUnused(since: limit))",
            because: "nobody logged in for \(Int(unused / 86_400)) days")
    }

    /// Those that will have been idle for long enough when the notice is over.
    private func tellIdle(at now: Date) async throws -> Int {
        guard let idle else { return 0 }
        let limit = now.addingTimeInterval(InstancePurge.notice - idle),
            end = now.addingTimeInterval(
                InstancePurge.notice)
        let ids = try await found(
            """
            i.account is not null and \(isUnused(since: limit)) and \(InstancePurge.isToBeTold)
            """)
        for id in ids {
            try await database.atomically { transaction in
                let row = try await transaction.query(
                    """
                    update app_instance i set told_at = \(now)
                    where i.id = \(id) and \(isUnused(since: limit)) and \(InstancePurge.isToBeTold)
                    returning \(AppInstance.columns)
                    """
                ).first
                guard let row else { return }
                try await tell(try AppInstance(row), end, transaction)
            }
        }
        return ids.count
    }

    private func endIdle(at now: Date) async throws -> Int {
        guard let idle else { return 0 }
        let told = now.addingTimeInterval(-InstancePurge.notice), limit = now.addingTimeInterval(-idle)
        return try await end(
            """
            i.account is not null and \(isUnused(since: limit)) and not (\(InstancePurge.isToBeTold))
                and i.told_at <= \(told)
            """, because: "not used for \(Int(idle / 86_400)) days")
    }

    /// Of row `i`. `last_seen` knows nothing of refreshes, which are written to what is refreshed.
    private static let lastUse: SQL =
        "greatest(i.last_seen, (select max(f.rotated_at) from family f where f.anchor = i.lineage[3]))"

    /// Not, or before it was used again.
    private static let isToBeTold: SQL = "(i.told_at is null or i.told_at < \(lastUse))"

    private func isUnused(since limit: Date) -> SQL {
        "i.last_seen < \(limit) and \(InstancePurge.lastUse) < \(limit)"
    }

    /// The row is held meanwhile, so that one that is used at this moment is left.
    private func end(_ condition: SQL, because reason: String) async throws -> Int {
        let ids = try await found(condition), actor = AuditActor.server.because(reason)
        for id in ids {
            try await database.atomically { transaction in
                let still = try await transaction.query(
                    "select i.id from app_instance i where i.id = \(id) and \(condition) for update of i")
                guard !still.isEmpty else { return }
                try await revocation.revoke(.virtual(Ancestor(.instance, id)), by: actor, in: transaction)
            }
        }
        return ids.count
    }

    /// Live ones.
    private func found(_ condition: SQL) async throws -> [String] {
        try await database.query(
            """
            select i.id from app_instance i
            where \(condition) and not exists (select from revocation r where r.node = any (i.lineage))
            order by i.last_seen limit \(InstancePurge.most)
            """
        ).map { try $0("id") }
    }

    private func forgetEnded(at now: Date) async throws -> Int {
        let limit = now.addingTimeInterval(-InstancePurge.endedKept)
        var gone = 0
        while gone < InstancePurge.most {
            let count = try await database.execute(
                """
                delete from app_instance where id in (
                    select i.id from app_instance i
                    where exists (select from revocation r where r.node = any (i.lineage) and r.revoked_at < \(limit))
                        and not exists (select from block b where b.instance = i.id)
                        and not exists (select from service_refusal f where f.instance = i.id)
                    limit \(InstancePurge.batch) for update of i skip locked)
                """)
            gone += count
            if count < InstancePurge.batch { break }
        }
        return gone
    }
}
