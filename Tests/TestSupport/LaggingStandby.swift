import Base
import Database
import Foundation
import Logging

/// What a standby would show that lags as far as a test says: another database, which has of the first one's tables
/// what was in them when they were last replayed.
public struct LaggingStandby: Sendable {
    public static let tables = ["token", "revocation", "change", "replica_beat"]

    public let database: Database
    let primary: Database

    public static func of(
        _ primary: Database, _ body: (LaggingStandby) async throws -> Void
    ) async throws {
        try await TestDatabase.with(connections: 4, forSuite: true) { test in
            // It gets its rows as they are, with nothing behind them.
            try await test.database.execute("alter table revocation disable trigger user")
            try await body(LaggingStandby(database: test.database, primary: primary))
        }
    }

    public func replica(mostLag: Duration = .seconds(5)) -> ReadReplica {
        ReadReplica(database, of: primary, mostLag: mostLag, logger: .quiet)
    }

    /// All at once, in the order in which it must never be seen that a later one is there without an earlier.
    public func replay(_ tables: [String] = tables) async throws {
        for table in tables {
            let rows: JSONValue = try await primary.value(
                "select coalesce(jsonb_agg(to_jsonb(t)), '[]') as rows from \(identifier: table) t")
            try await database.transaction { transaction in
                // One replay of a table after the other.
                _ = try await transaction.query("select pg_advisory_xact_lock(1)")
                _ = try await transaction.execute("delete from \(identifier: table)")
                _ = try await transaction.execute(
                    """
                    insert into \(identifier: table) overriding system value
                    select r.* from jsonb_populate_recordset(null::\(identifier: table), \(rows)) r
                    """)
            }
        }
    }

    /// Only says that it is young, over and over, until cancelled: as no standby does, but as one that lags in the most
    /// unlucky way might seem to.
    public func keepsSayingThatItIsYoung() async {
        while !Task.isCancelled {
            try? await replay(["replica_beat"])
            try? await Task.sleep(for: .milliseconds(5))
        }
    }
}
