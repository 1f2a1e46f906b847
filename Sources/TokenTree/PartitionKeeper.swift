import Base
import Database
import Foundation
import Logging

/// Makes partitions ahead of time and drops dead ones. No row is ever deleted for being old.
public struct PartitionKeeper: Sendable {
    private let database: Database
    private let clock: WallClock
    private let logger: Logger

    public init(database: Database, clock: WallClock, logger: Logger) { (self.database, self.clock, self.logger) = (database, clock, logger) }

    /// Makes what is missing. Safe to call from many processes at once.
    public func makeAhead() async throws {
        let now = clock.now()
        let existing = try await tables()
        let missing = (PartitionPlan.tokens(at: now) + PartitionPlan.oneTime(at: now)).filter { !existing.contains($0.table) }
        guard !missing.isEmpty else { return }
        try await database.transaction { transaction in
            _ = try await transaction.execute("select pg_advisory_xact_lock(\(PartitionKeeper.lock))")
            for partition in missing {
                _ = try await transaction.execute("""
                    create table if not exists \(identifier: partition.table) partition of \(identifier: partition.parent)
                    for values from (\(raw: PartitionKeeper.literal(partition.from))) to (\(raw: PartitionKeeper.literal(partition.to)))
                    """)
            }
        }
        logger.debug("partitions made", metadata: ["count": "\(missing.count)"])
    }

    /// Drops what has been dead for a day. Gives up quickly when a table is in use: the next round does it.
    @discardableResult
    public func dropDead() async throws -> [String] {
        let limit = clock.now().addingTimeInterval(-PartitionPlan.margin)
        var dropped: [String] = []
        for table in try await tables() {
            let parent = table.hasPrefix("one_time") ? "one_time" : "token"
            guard let end = PartitionPlan.end(ofTable: table, parent: parent), end < limit else { continue }
            try await database.transaction { transaction in
                _ = try await transaction.execute("set local lock_timeout = '2s'")
                _ = try await transaction.execute("drop table if exists \(identifier: table)")
            }
            dropped.append(table)
        }
        // Families that nobody has refreshed in their time, and what was known of nodes whose rows are gone.
        _ = try await database.execute("delete from family where idle_until < \(limit)")
        _ = try await database.execute("delete from moved where at < \(limit)")
        return dropped
    }

    /// Runs `body`; when its partition is missing (a process that slept past its plan), makes it and runs once more. Where `body` is part of
    /// a transaction, that is lost by then: `serialization` has the whole of it run anew (`Database.atomically`).
    func withPartition<Value: Sendable>(retrying: Bool, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch DatabaseError.violation(constraint: "") {
            try await makeAhead()
            guard retrying else { throw DatabaseError.serialization }
            return try await body()
        }
    }

    private func tables() async throws -> Set<String> {
        let rows = try await database.query("""
            select c.relname as name from pg_inherits i
            join pg_class c on c.oid = i.inhrelid
            where i.inhparent in ('token'::regclass, 'one_time'::regclass)
            """)
        return Set(try rows.map { try $0("name") as String })
    }

    private static let lock: Int64 = 0x70616E646F5F70 // "pando_p"
    private static func literal(_ uuid: UUID) -> String { "'\(uuid.uuidString.lowercased())'" }
}
