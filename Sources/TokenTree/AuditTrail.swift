import Base
import Database
import Foundation

/// One line of the audit trail. Never holds a token or secret.
public struct AuditEntry: Sendable {
    public let actor: Actor
    public let action: String
    public let node: String?
    public let account: UUID?
    public let outcome: String
    public let detail: JSONObject

    public init(actor: Actor, action: String, node: String? = nil, account: UUID? = nil, outcome: String = "done", detail: JSONObject = [:]) {
        (self.actor, self.action, self.node, self.account) = (actor, action, node, account)
        (self.outcome, self.detail) = (outcome, detail)
    }
}

/// Rows of `audit`: who, when, from where, why.
public enum AuditTrail {
    public static func write(_ entry: AuditEntry, at time: Date, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("""
            insert into audit (at, actor, origin, action, node, account, reason, outcome, detail)
            values (\(time), \(entry.actor.name), \(entry.actor.origin), \(entry.action), \(entry.node), \(entry.account), \(entry.actor.reason),
                    \(entry.outcome), \(JSONValue.object(entry.detail)))
            """)
    }

    /// Newest first. `after` is the cursor of the line before.
    public static func list(node: String?, account: UUID?, since: Date?, after: Int64?, limit: Int, in executor: any SQLExecutor) async throws -> [(id: Int64, json: JSONValue)] {
        try await executor.query("""
            select id, at, actor, origin, action, node, reason, outcome from audit
            where (\(node)::text is null or node = \(node)) and (\(account)::uuid is null or account = \(account))
              and (\(since)::timestamptz is null or at >= \(since)) and (\(after)::bigint is null or id < \(after))
            order by id desc limit \(limit)
            """).map { row in
            let at: Date = try row("at")
            let json: JSONObject = [
                "at": .string(at.rfc3339), "actor": .string(try row("actor")), "from": JSONValue(try row("origin") as String?),
                "action": .string(try row("action")), "node": JSONValue(try row("node") as String?), "reason": JSONValue(try row("reason") as String?),
                "outcome": .string(try row("outcome")),
            ]
            return (try row("id"), .object(json))
        }
    }
}
