import Base
import Database
import Foundation

/// What anybody can cause again and again, such as a wrong password: one line of the audit trail for each minute,
/// action, outcome, reason, node and account, with a count, however often it came. Rows of `audit_tally`.
///
/// A line of `audit` never changes once it is written: what counts is here, and becomes a line when its minute is over.
public enum AuditTally {
    static let minute: TimeInterval = 60

    /// One more. Actor and origin of the line are those of the last; `detail` has no place in it.
    public static func count(_ entry: AuditEntry, at time: Date, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(counting(entry, at: time))
    }

    /// The statement that counts it, if there is a row in `row`: what that statement's own `with` has done, one row at
    /// most.
    public static func counting(_ entry: AuditEntry, at time: Date, if row: SQL? = nil) -> SQL {
        let source: SQL = row.map { "from \($0)" } ?? ""
        return """
            insert into audit_tally as t (minute, action, outcome, reason, node, account, actor, origin, first_at,
                last_at)
            select \(start(of: time)), \(entry.action), \(entry.outcome), \(entry.actor.reason ?? ""),
                \(entry.node ?? ""), \(entry.account),
                    \(entry.actor.name), \(entry.actor.origin), \(time), \(time) \(source)
            on conflict (minute, action, outcome, reason, node, (coalesce(account,
                '00000000-0000-0000-0000-000000000000'::uuid)))
            do update set count = t.count + 1, last_at = greatest(t.last_at, excluded.last_at),
                actor = excluded.actor, origin = excluded.origin
            """
    }

    /// Writes the lines of minutes that are over; how many. In one statement, so that of two processes one writes each.
    @discardableResult
    public static func settle(at time: Date, in executor: any SQLExecutor) async throws -> Int {
        try await executor.execute(
            """
            with over as (
                delete from audit_tally where minute < \(start(of: time))
                returning id, action, outcome, reason, node, account, actor, origin, count, first_at, last_at
            )
            insert into audit (at, actor, origin, action, node, account, reason, outcome, detail)
            select o.last_at, o.actor, o.origin, o.action, nullif(o.node, ''), o.account, nullif(o.reason, ''),
                o.outcome,
                   jsonb_build_object('count', o.count, 'first_at', to_char(o.first_at at time zone 'UTC',
                       'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
            from over o order by o.last_at, o.id
            """)
    }

    private static func start(of time: Date) -> Date {
        Date(timeIntervalSince1970: (time.timeIntervalSince1970 / minute).rounded(.down) * minute)
    }
}
