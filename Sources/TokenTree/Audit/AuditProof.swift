import Base
import Database
import Foundation

/// A line with its place in the chain: what proves to somebody who has the day's head that it was there.
public struct AuditProof: Sendable {
    public let line: AuditLine
    public let place: Int64
    /// The hash of the place before, and of its own.
    public let previous: [UInt8]
    public let hash: [UInt8]
    public let head: AuditHead

    /// `nil` where there is no such line, or it has no place yet.
    public static func of(line id: Int64, in executor: any SQLExecutor) async throws -> AuditProof? {
        let row = try await executor.query(
            """
            select k.place, k.hash as link_hash, \(AuditLine.columns), \(AuditHead.columns),
                case when k.place = h.first then h.previous
                    else (select b.hash from audit_link b where b.place = k.place - 1) end as before
            from audit_link k join audit a on a.id = k.line join audit_head h on k.place between h.first and h.last
            where k.line = \(id)
            """
        ).first
        guard let row, let line = try AuditLine(row), let before = try row("before", as: [UInt8]?.self) else {
            return nil
        }
        return AuditProof(
            line: line, place: try row("place"), previous: before, hash: try row("link_hash"),
            head: try AuditHead(row))
    }

    /// The line alone, wherever it stands.
    public static func line(_ id: Int64, in executor: any SQLExecutor) async throws -> AuditLine? {
        try await executor.query("select \(AuditLine.columns) from audit a where a.id = \(id)").first.flatMap {
            try AuditLine($0)
        }
    }

    /// The last line that says that this node ended, until `time`.
    public static func end(of label: String, until time: Date, in executor: any SQLExecutor) async throws -> Int64? {
        try await executor.query(
            """
            select a.id from audit a where a.node = \(label) and a.action = 'revoke' and a.outcome = 'done'
                and a.at <= \(time) order by a.id desc limit 1
            """
        ).first.map { try $0("id") }
    }

    /// The first node of a lineage that had ended by `time`; the highest says why.
    public static func cause(
        in lineage: [NodeID], until time: Date, in executor: any SQLExecutor
    ) async throws -> (label: String, at: Date)? {
        try await executor.query(
            """
            select r.label, r.revoked_at from revocation r where r.node = any (\(lineage)) and r.revoked_at <= \(time)
            order by r.revoked_at, array_position(\(lineage), r.node) limit 1
            """
        ).first.map { (try $0("label"), try $0("revoked_at")) }
    }

    /// Digests of the lines behind it, up to the day's head: folded into its hash they give that of the head, and tell
    /// nothing of what these lines say.
    public func path(in executor: any SQLExecutor) async throws -> [[UInt8]] {
        try await executor.query(
            """
            select k.digest from audit_link k where k.place > \(place) and k.place <= \(head.last) order by k.place
            """
        ).map { try $0("digest") }
    }

    public var json: JSONObject {
        [
            "place": .integer(Int(place)), "previous": .string(Hexadecimal.encode(previous)),
            "digest": .string(Hexadecimal.encode(line.digest)), "hash": .string(Hexadecimal.encode(hash)),
            "day": .string(head.day), "head": .string(Hexadecimal.encode(head.hash)),
        ]
    }
}
