import Base
import Database
import Foundation

/// One line of the audit trail. Never holds a token or secret, nor a user name that nobody has: people type passwords
/// there.
public struct AuditEntry: Sendable {
    public let actor: AuditActor
    public let action: String
    public let node: String?
    public let account: UUID?
    public let outcome: String
    public let detail: JSONObject

    public init(
        actor: AuditActor, action: String, node: String? = nil, account: UUID? = nil, outcome: String = "done",
        detail: JSONObject = [:]
    ) {
        (self.actor, self.action, self.node, self.account) = (actor, action, node, account)
        (self.outcome, self.detail) = (outcome, detail)
    }
}

/// Which lines a list shows; `nil` leaves a member open.
public struct AuditFilter: Sendable {
    public var node: String?
    public var account: UUID?
    /// An action with all below it: `login` is `login.app` too.
    public var action: String?
    public var outcome: String?
    /// Who did it, e.g. `admin:root`.
    public var actor: String?
    public var since: Date?
    /// Before this moment.
    public var until: Date?
    /// The cursor of the line before.
    public var after: Int64?
    public var limit: Int
    /// A condition on the line `l` besides, where who asks sees part of the federation.
    public var visible: SQL = "true"

    public init(
        node: String? = nil, account: UUID? = nil, action: String? = nil, outcome: String? = nil, actor: String? = nil,
        since: Date? = nil,
        until: Date? = nil, after: Int64? = nil, limit: Int = 100
    ) {
        (self.node, self.account, self.action, self.outcome, self.actor) = (node, account, action, outcome, actor)
        (self.since, self.until, self.after, self.limit) = (since, until, after, limit)
    }

    /// Of `l`.
    fileprivate var condition: SQL {
        """
        (\(node)::text is null or l.node = \(node)) and (\(account)::uuid is null or l.account = \(account))
        and (\(action)::text is null or l.action = \(action) or starts_with(l.action, \(action) || '.'))
        and (\(outcome)::text is null or l.outcome = \(outcome)) and (\(actor)::text is null or l.actor = \(actor))
        and (\(since)::timestamptz is null or l.at >= \(since)) and (\(until)::timestamptz is null or l.at < \(until))
        and (\(after)::bigint is null or l.id < \(after)) and \(visible)
        """
    }
}

/// Rows of `audit`: who, when, from where, why.
public enum AuditTrail {
    /// What is still being counted stands before all lines, under cursors above all of theirs.
    static let counting: Int64 = 1 << 62

    public static func write(_ entry: AuditEntry, at time: Date, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(line(entry, at: time))
    }

    /// The statement that writes it, once for each row of `rows`: what that statement's own `with` has done. `node`, in
    /// terms of these rows, stands in place of the entry's.
    public static func line(_ entry: AuditEntry, at time: Date, each rows: SQL? = nil, node: SQL? = nil) -> SQL {
        let source: SQL = rows.map { "from \($0)" } ?? "", node: SQL = node ?? "\(entry.node)"
        return """
            insert into audit (at, actor, origin, action, node, account, reason, outcome, detail)
            select \(time), \(entry.actor.name), \(entry.actor.origin), \(entry.action), \(node),
                \(entry.account), \(entry.actor.reason), \(entry.outcome), \(JSONValue.object(entry.detail)) \(source)
            """
    }

    /// The statement that writes a line of `action` for each of `rows`: what that statement's own `with` has done.
    /// Besides what is given as a value, what stands in the line is told in terms of these rows.
    public static func lines(
        _ action: String, outcome: String = "done", of rows: SQL, actor: SQL, origin: SQL, node: SQL, account: SQL,
        detail: SQL, at time: Date
    ) -> SQL {
        """
        insert into audit (at, actor, origin, action, node, account, outcome, detail)
        select \(time), \(actor), \(origin), \(action), \(node), \(account), \(outcome), \(detail) from \(rows)
        """
    }

    /// Newest first, with what `AuditTally` still counts.
    public static func list(
        _ filter: AuditFilter, in executor: any SQLExecutor
    ) async throws -> [(id: Int64, json: JSONValue)] {
        try await executor.query(
            """
            (select l.id, l.at, l.actor, l.origin, l.action, l.node, l.account, l.reason, l.outcome, l.count from (
                select t.id + \(counting) as id, t.last_at as at, t.actor, t.origin, t.action, nullif(t.node,
                    '') as node, t.account,
                       nullif(t.reason, '') as reason, t.outcome, t.count
                from audit_tally t) l
             where \(filter.condition) order by l.id desc limit \(filter.limit))
            union all
            (select l.id, l.at, l.actor, l.origin, l.action, l.node, l.account, l.reason, l.outcome,
                    case when jsonb_typeof(l.detail -> 'count') = 'number' then (l.detail ->> 'count')::bigint
                        else 1 end
             from audit l where \(filter.condition) order by l.id desc limit \(filter.limit))
            order by id desc limit \(filter.limit)
            """
        ).map { row in (try row("id"), try json(row)) }
    }

    private static func json(_ row: Row) throws -> JSONValue {
        let at: Date = try row("at"), account: UUID? = try row("account"), count: Int = try row("count")
        let id: Int64 = try row("id")
        return [
            "id": id < counting ? .integer(Int(id)) : .null, "at": .string(at.rfc3339),
            "actor": .string(try row("actor")),
            "from": JSONValue(try row("origin") as String?),
            "action": .string(try row("action")), "node": JSONValue(try row("node") as String?),
            "account": JSONValue(account?.uuidString.lowercased()), "reason": JSONValue(try row("reason") as String?),
            "outcome": .string(try row("outcome")), "count": .integer(count),
        ]
    }
}
