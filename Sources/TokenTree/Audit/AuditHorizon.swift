import Base
import Database
import Foundation

/// How far no line of the audit trail can come to light any more, whose id was taken by a transaction that is still
/// under way. Moves in two steps: what was seen, and which transactions there were then; and, when all of these have
/// ended, that it is settled.
struct AuditHorizon: Sendable {
    let settled: Int64
    /// The greatest id at some moment, the first transaction that had not begun then, and when that was.
    private let seen: (id: Int64, next: Int64, at: Date)?
    private let stored: JSONValue?
    /// Now.
    private let last: Int64
    private let oldest: Int64
    private let next: Int64

    static func read(_ name: String, in executor: any SQLExecutor) async throws -> AuditHorizon {
        let row = try await executor.query(
            """
            select (select s.value from setting s where s.name = \(name)) as value,
                (select s.changed_at from setting s where s.name = \(name)) as changed_at,
                coalesce((select max(a.id) from audit a), 0) as last,
                pg_snapshot_xmin(pg_current_snapshot())::text::bigint as oldest,
                pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next
            """
        ).first
        guard let row else { throw DatabaseError.serialization }
        return try AuditHorizon(row)
    }

    private init(_ row: Row) throws(DatabaseError) {
        let value: JSONValue? = try row("value"), at: Date? = try row("changed_at")
        (stored, last, oldest, next) = (value, try row("last"), try row("oldest"), try row("next"))
        settled = Int64(value?["settled"]?.integer ?? 0)
        let id = value?["seen"]?.integer, transaction = value?["next"]?.integer
        if let id, let transaction, let at { seen = (Int64(id), Int64(transaction), at) } else { seen = nil }
    }

    /// After everything up to `last` has its place. Of two processes one moves it.
    func move(_ name: String, at now: Date, in executor: any SQLExecutor) async throws {
        var reached = settled
        if let seen, next >= seen.next {
            guard seen.id > settled || last > settled else { return }
            guard oldest >= seen.next, now.timeIntervalSince(seen.at) >= AuditChain.margin else { return }
            reached = seen.id
        }
        // The numbers of another cluster, from which this database was restored, say nothing here: seen anew.
        let value: JSONValue = [
            "settled": .integer(Int(reached)), "seen": .integer(Int(last)), "next": .integer(Int(next)),
        ]
        guard let stored else {
            _ = try await executor.execute(
                """
                insert into setting (name, value, changed_at) values (\(name), \(value), \(now))
                on conflict (name) do nothing
                """)
            return
        }
        _ = try await executor.execute(
            "update setting set value = \(value), changed_at = \(now) where name = \(name) and value = \(stored)")
    }
}
