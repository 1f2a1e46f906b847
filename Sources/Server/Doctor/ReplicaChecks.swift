import Base
import Database
import Logging

/// Whether a read replica is one, and how far behind: what a server would ask where answers may be a little old.
struct ReplicaChecks: Sendable {
    let replica: ReplicaSettings
    let primary: Database
    let logger: Logger

    func findings() async -> [Finding] {
        let standby = Database(ReadReplica.settings(replica.database, connections: 1), logger: logger)
        let found: Finding
        do {
            // In this order: what the standby has not applied of it is behind.
            let written: String? = try await primary.query("select pg_current_wal_lsn()::text as place").first?("place")
            let row = try await standby.query(
                """
                select pg_is_in_recovery() as standby,
                    case when pg_is_in_recovery() then pg_is_wal_replay_paused() else false end as paused,
                    (pg_wal_lsn_diff(\(written)::text::pg_lsn, pg_last_wal_replay_lsn()))::bigint as behind
                """
            ).first
            found = try row.map { try ReplicaChecks.found($0) } ?? ReplicaChecks.away("it says nothing")
        } catch { found = ReplicaChecks.away("\(error)") }
        await standby.close()
        return [found]
    }

    private static func found(_ row: Row) throws -> Finding {
        guard try row("standby") else {
            return .error(
                "replica", "it is no standby, so it never shows what the primary has: it is not asked",
                do: "name a streaming standby of the database as database-replica")
        }
        guard try !row("paused", as: Bool.self) else {
            return .warning("replica", "its replay is paused: it is not asked", do: "select pg_wal_replay_resume()")
        }
        let behind = try row("behind", as: Int?.self) ?? 0
        return .ok("replica", "a standby, \(max(0, behind)) bytes behind")
    }

    private static func away(_ why: String) -> Finding {
        .warning(
            "replica", "it does not answer, so the primary does: \(why)",
            do: "is it running, and does database-replica name it?")
    }
}
