import Base
import Database

/// A line of the audit trail as it is hashed: its columns as texts, which need no JSON to be the same elsewhere
/// (docs/audit.md, "What is hashed").
public struct AuditLine: Sendable, Equatable {
    /// Names of the columns in the order in which they are hashed.
    public static let names = [
        "id", "at", "actor", "from", "action", "node", "account", "reason", "outcome", "detail",
    ]
    static let version = "pando-audit-1,"

    public let id: Int64
    /// In the order of `names`.
    public let values: [String?]

    /// Of `a`, a row of `audit`; all null where there is none.
    static let columns: SQL = """
        a.id as line_id, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as line_at,
            a.actor as line_actor, a.origin as line_origin, a.action as line_action, a.node as line_node,
            a.account::text as line_account, a.reason as line_reason, a.outcome as line_outcome,
            a.detail::text as line_detail
        """

    init?(_ row: Row) throws(DatabaseError) {
        guard let id = try row("line_id", as: Int64?.self) else { return nil }
        self.id = id
        values = [
            String(id), try row("line_at"), try row("line_actor"), try row("line_origin"), try row("line_action"),
            try row("line_node"), try row("line_account"), try row("line_reason"), try row("line_outcome"),
            try row("line_detail"),
        ]
    }

    /// UTC.
    var day: String { String((values[1] ?? "").prefix(10)) }

    /// Netstrings of the values, and `-,` for one that is missing.
    public var canonical: [UInt8] {
        var bytes = Array(AuditLine.version.utf8)
        for value in values {
            if let value {
                bytes += "\(value.utf8.count):\(value),".utf8
            } else {
                bytes += "-,".utf8
            }
        }
        return bytes
    }

    public var digest: [UInt8] { Digest.sha256(canonical) }

    public var json: JSONObject {
        var object: JSONObject = ["id": JSONValue.integer(Int(id))]
        for (name, value) in zip(AuditLine.names, values).dropFirst() { object[name] = JSONValue(value) }
        return object
    }
}

/// A place of the chain.
public struct AuditLink: Sendable {
    /// What stands before the very first line.
    static let beginning = [UInt8](repeating: 0, count: 32)

    public let place: Int64
    public let digest: [UInt8]
    public let hash: [UInt8]

    /// The hash of a place: that of the one before, and the line's digest.
    public static func hash(_ previous: [UInt8], _ digest: [UInt8]) -> [UInt8] { Digest.sha256(previous + digest) }
}
