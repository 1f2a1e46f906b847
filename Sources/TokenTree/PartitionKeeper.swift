import Base
import Database
import Foundation
import Logging

/// Makes partitions ahead of time and drops dead ones. No row is ever deleted for being old.
///
/// Nothing here waits in front of others for somebody who reads for long, as `pg_dump` does: an ACCESS EXCLUSIVE lock
/// on a parent, which CREATE TABLE … PARTITION OF and DROP TABLE of a partition ask for, would stop every request
/// behind it. So a partition is made beside its parent and attached, and detached concurrently before it is dropped
/// (PostgreSQL, ALTER TABLE). What has to wait gives up after a moment, and the next round tries again, days before it
/// matters.
///
/// A partition may lie on another server, as a foreign table that an operator put in the place of an empty one
/// (docs/scaling.md, "Partitions on several servers"). Here it counts as made, and goes in its time; the table on the
/// other server is the operator's.
public struct PartitionKeeper: Sendable {
    private let database: Database
    private let clock: WallClock
    private let databaseClock: DatabaseClock
    let logger: Logger

    public init(database: Database, clock: WallClock, databaseClock: DatabaseClock = .ofServer, logger: Logger) {
        (self.database, self.clock, self.databaseClock, self.logger) = (database, clock, databaseClock, logger)
    }

    /// Makes what is missing. Safe to call from many processes at once. Throws when one that will be needed within a
    /// day cannot be made; with others there is time.
    public func makeAhead() async throws {
        let now = clock.now(), missing = try await self.missing()
        guard !missing.isEmpty else { return }
        do {
            return try await make(missing)
        } catch DatabaseError.unavailable(let reason) {
            throw DatabaseError.unavailable(reason)
        } catch {
            logger.debug("partitions are made one by one", metadata: ["error": "\(error)"])
        }
        var failure: (any Error)?
        for partition in missing {
            do { try await make([partition]) } catch {
                let isUrgent = partition.neededFrom < now.addingTimeInterval(86_400)
                logger.log(
                    level: isUrgent ? .error : .warning, "a partition could not be made, and will be tried again",
                    metadata: ["table": "\(partition.table)", "error": "\(error)"])
                if isUrgent { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
    }

    /// Drops what has been dead for a day, by this process's clock and by the database's: one of them that is years
    /// ahead takes nothing away. What is in use waits for the next round, and keeps nothing else from its turn.
    @discardableResult
    public func dropDead() async throws -> [String] {
        let now = min(clock.now(), try await databaseClock.now(database))
        let limit = now.addingTimeInterval(-PartitionPlan.margin)
        var dropped: [String] = [], failure: (any Error)?
        for old in try await tables()
        where PartitionPlan.end(ofTable: old.table, parent: old.parent).map({ $0 < limit }) ?? false {
            do {
                try await drop(old)
                dropped.append(old.table)
            } catch {
                // Another process may have been faster.
                guard try await tables().contains(where: { $0.table == old.table }) else { continue }
                logger.warning(
                    "a dead partition could not be dropped, and will be tried again",
                    metadata: ["table": "\(old.table)", "error": "\(error)"])
                failure = failure ?? error
            }
        }
        // Families that nobody has refreshed in their time, and what was known of nodes whose rows are gone.
        try await Database.withTimeLimit(600) {
            _ = try await database.execute("delete from family where idle_until < \(limit)")
            _ = try await database.execute("delete from moved where at < \(limit)")
        }
        if let failure { throw failure }
        return dropped
    }

    /// Runs `body`; when its partition is missing (a process that slept past its plan), makes it and runs once more.
    /// Where `body` is part of a transaction, that is lost by then: `serialization` has the whole of it run anew
    /// (`Database.atomically`).
    func withPartition<Value: Sendable>(retrying: Bool, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch DatabaseError.violation(constraint: "") {
            try await make(missing())
            guard retrying else { throw DatabaseError.serialization }
            return try await body()
        }
    }

    /// How many will be needed and are not there.
    public func missingAhead() async throws -> Int { try await missing().count }

    // MARK: Making

    private func missing() async throws -> [PartitionPlan.Partition] {
        let now = clock.now(), attached = Set(try await tables().filter(\.isAttached).map(\.table))
        return PartitionPlan.all(at: now).filter { !attached.contains($0.table) }
    }

    /// All or none. ATTACH takes SHARE UPDATE EXCLUSIVE on the parent, which neither readers nor writers wait for.
    private func make(_ partitions: [PartitionPlan.Partition]) async throws {
        guard !partitions.isEmpty else { return }
        try await database.transaction { transaction in
            // Processes take turns; who comes later finds it done.
            _ = try await transaction.execute("select pg_advisory_xact_lock(\(PartitionKeeper.lock))")
            let attached = Set(try await PartitionKeeper.tables(transaction).filter(\.isAttached).map(\.table))
            let missing = partitions.filter { !attached.contains($0.table) }
            _ = try await transaction.batch(
                [PartitionKeeper.patience]
                    + missing.flatMap { partition -> [SQL] in
                        let table: SQL = "\(identifier: partition.table)",
                            parent: SQL = "\(identifier: partition.parent)"
                        let from = PartitionKeeper.literal(partition.from), to = PartitionKeeper.literal(partition.to)
                        return [
                            "create table if not exists \(table) (like \(parent) including all)",
                            """
                            alter table \(parent) attach partition \(table) for values from (\(raw: from)) to \
                            (\(raw: to))
                            """,
                        ]
                    })
        }
        logger.debug("partitions made", metadata: ["count": "\(partitions.count)"])
    }

    // MARK: Dropping

    private func drop(_ old: Existing) async throws {
        let table: SQL = "\(identifier: old.table)", parent: SQL = "\(identifier: old.parent)"
        switch old.state {
        case .attached: try await database.executeAlone("alter table \(parent) detach partition \(table) concurrently")
        case .detaching:
            // One that was interrupted, by whoever still read from it.
            try await database.transaction { transaction in
                _ = try await transaction.batch([
                    PartitionKeeper.patience, "alter table \(parent) detach partition \(table) finalize",
                ])
            }
        case .alone: break
        }
        try await database.transaction { transaction in
            let kind: SQL = old.isForeign ? "foreign table" : "table"
            _ = try await transaction.batch([PartitionKeeper.patience, "drop \(kind) if exists \(table)"])
        }
    }

    // MARK: What there is

    private struct Existing {
        enum State { case attached, detaching, alone }

        let table: String
        let parent: String
        let state: State
        let isForeign: Bool
        var isAttached: Bool { if case .attached = state { true } else { false } }
    }

    private func tables() async throws -> [Existing] { try await PartitionKeeper.tables(database) }

    /// Partitions, and tables of their names beside the parents: made or detached, and left there by what came between.
    private static func tables(_ executor: any SQLExecutor) async throws -> [Existing] {
        try await executor.query(
            """
            select c.relname::text as name, p.relname::text as parent, i.inhrelid is not null as attached,
                   coalesce(i.inhdetachpending, false) as detaching, c.relkind = 'f' as is_foreign
            from pg_class p
            join pg_class c on c.relnamespace = p.relnamespace and c.relkind in ('r', 'f')
                and starts_with(c.relname, p.relname || '_')
            left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = p.oid
            where p.oid in ('token'::regclass, 'assertion_reach'::regclass, 'one_time'::regclass)
            order by i.inhdetachpending desc nulls last, c.relname
            """
        ).compactMap { row -> Existing? in
            let table = try row("name") as String, parent = try row("parent") as String
            guard PartitionPlan.end(ofTable: table, parent: parent) != nil else { return nil }
            let state: Existing.State = try row("detaching") ? .detaching : row("attached") ? .attached : .alone
            return Existing(table: table, parent: parent, state: state, isForeign: try row("is_foreign"))
        }
    }

    /// For locks: whoever comes after us waits behind us meanwhile.
    private static let patience: SQL = "set local lock_timeout = '1s'"
    private static let lock: Int64 = 0x70616E646F5F70  // "pando_p"
    private static func literal(_ uuid: UUID) -> String { "'\(uuid.uuidString.lowercased())'" }
}
