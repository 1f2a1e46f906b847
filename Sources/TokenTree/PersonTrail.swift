import Base
import Database
import Foundation

/// A line of the audit trail as its person may see it.
public struct PersonTrailLine: Sendable {
    /// The cursor of the line.
    public let id: Int64
    public let at: Date
    /// `account:UUID`, `instance:ID`, `browser:…`, `admin:NAME`, `server`.
    public let actor: String
    /// Address of the peer; for operators their terminal.
    public let origin: String?
    public let action: String
    public let node: String?
    public let outcome: String
    /// How often within the minute.
    public let count: Int
    /// What stands in the line besides; of what is still being counted, nothing.
    public let detail: JSONValue
    /// Nothing of this action and outcome was done by this person at this node before.
    public let isFirst: Bool

    init(_ row: Row) throws(DatabaseError) {
        (id, at, actor, origin) = (try row("id"), try row("at"), try row("actor"), try row("origin"))
        (action, node, outcome) = (try row("action"), try row("node"), try row("outcome"))
        (count, isFirst) = (try row("count"), try row("is_first"))
        detail = try row("detail")
    }
}

/// What the audit trail says of one person: lines that name their account, and the ends of what is theirs.
public enum PersonTrail {
    private static let reach = 5_000

    /// Newest first, refusals no more than a third: anybody who knows a name causes these, and would push out of sight
    /// what they did with the password. Read are the last `reach` lines. `nodes` selects the labels of what is theirs.
    /// One statement, along the indexes of account and node.
    public static func list(
        _ account: UUID, nodes: SQL, limit: Int, in executor: any SQLExecutor
    ) async throws -> [PersonTrailLine] {
        let refusals = limit / 3
        return try await executor.query(
            """
            select l.id, l.at, l.actor, l.origin, l.action, l.node, l.outcome, l.count, l.detail,
                not exists (select from audit b
                where b.node = l.node and b.id < l.id and b.action = l.action and b.outcome = l.outcome
                    and b.account is not distinct from l.account) as is_first
            from (
                (select t.id + \(AuditTrail.counting) as id, t.last_at as at, t.actor, t.origin, t.action,
                     nullif(t.node, '') as node, t.outcome, t.count, t.account, '{}'::jsonb as detail
                 from audit_tally t where t.account = \(account) order by t.id desc limit \(refusals))
                union all
                (select w.id, w.at, w.actor, w.origin, w.action, w.node, w.outcome,
                     case when jsonb_typeof(w.detail -> 'count') = 'number' then (w.detail ->> 'count')::bigint
                         else 1 end as count, w.account, w.detail
                 from (
                     select a.id, a.at, a.actor, a.origin, a.action, a.node, a.outcome, a.detail, a.account,
                         row_number() over (partition by a.outcome = 'refused' order by a.id desc) as place
                     from (
                         select k.id, k.at, k.actor, k.origin, k.action, k.node, k.outcome, k.detail, k.account
                         from audit k where k.account = \(account) order by k.id desc limit \(reach)
                     ) a
                 ) w
                 where w.place <= case when w.outcome = 'refused' then \(refusals) else \(limit) end)
                union all
                (select a.id, a.at, a.actor, a.origin, a.action, a.node, a.outcome, 1 as count, a.account, a.detail
                 from audit a where a.account is null and a.action = 'revoke' and a.node = any (array(\(nodes)))
                 order by a.id desc limit \(limit))
            ) l
            order by l.id desc limit \(limit)
            """
        ).map { try PersonTrailLine($0) }
    }
}
