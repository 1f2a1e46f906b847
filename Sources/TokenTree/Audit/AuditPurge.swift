import Base
import Database
import Foundation

/// Forgets the lines of days that are over for so long, and their places in the chain; the days' heads stay, so that
/// what comes behind them still follows from them.
public struct AuditPurge: Sendable {
    static let action = "audit.purge"
    static let batch: Int64 = 10_000
    static let batches = 100

    let database: Database
    /// Days for which lines are kept; `nil` for good.
    let kept: Int?
    let clock: WallClock

    public init(database: Database, kept: Int?, clock: WallClock) {
        (self.database, self.kept, self.clock) = (database, kept, clock)
    }

    /// How many lines are gone. Which days go is written down first, with a line that says so: who verifies meanwhile
    /// does not miss them.
    @discardableResult
    public func forget() async throws -> Int {
        guard let kept else { return 0 }
        let now = clock.now(), limit = String(now.addingTimeInterval(-86_400 * Double(kept)).rfc3339.prefix(10))
        try await database.atomically { transaction in
            let rows = try await transaction.query(
                """
                update audit_head h set purged_at = \(now) where h.day < \(limit)::text::date and h.purged_at is null
                returning \(AuditHead.columns)
                """)
            let heads = try rows.map { try AuditHead($0) }.sorted { $0.day < $1.day }
            guard let first = heads.first, let last = heads.last else { return }
            let lines = heads.reduce(Int64(0)) { $0 + $1.last - $1.first + 1 }
            let entry = AuditEntry(
                actor: .server, action: AuditPurge.action,
                detail: [
                    "first": .string(first.day), "last": .string(last.day), "lines": .integer(Int(lines)),
                ])
            try await AuditTrail.write(entry, at: now, in: transaction)
        }
        var gone = 0
        for _ in 0..<AuditPurge.batches {
            let found = try await deleteBatch()
            gone += found
            if found == 0 { break }
        }
        return gone
    }

    private func deleteBatch() async throws -> Int {
        try await database.query(
            """
            with old as (
                select k.place, k.line from audit_link k
                where k.place <= (select max(h.last) from audit_head h where h.purged_at is not null)
                order by k.place limit \(AuditPurge.batch)
            ), lines as (
                delete from audit a using old where a.id = old.line
            ), links as (
                delete from audit_link k using old where k.place = old.place returning k.place
            )
            select count(*) as number from links
            """
        ).first.map { try $0("number") } ?? 0
    }
}
