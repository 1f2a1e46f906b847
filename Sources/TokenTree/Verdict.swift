import Base
import Database
import Foundation

/// Whether a token lives, and if not, the exact rule that ended it (`pando admin tokens why`).
public struct Verdict: Sendable {
    public enum Rule: String, Sendable {
        case live, expired, revoked, used, epoch, unknown

        /// The section that says so.
        public var reference: String {
            switch self {
            case .live: "token-tree.md rule 1"
            case .expired: "RFC 6749 section 1.5, token-tree.md rule 1"
            case .revoked: "RFC 7009 section 2.1, token-tree.md rule 2"
            case .used: "RFC 6749 section 4.1.2, RFC 9700 section 4.14.2"
            case .epoch: "token-tree.md rule 9"
            case .unknown: "RFC 6750 section 3.1"
            }
        }
    }

    public struct Cause: Sendable {
        public let node: String
        public let at: Date
        public let by: String
        public let reason: String?
    }

    public let rule: Rule
    public let node: NodeID
    public let cause: Cause?

    public var isLive: Bool { rule == .live }

    /// The highest cut names the cause: what was cut below it no longer matters. `kid` is the key that signed what was
    /// shown: of a family that began under another one, its end is that of this token alone.
    public init(of row: TokenRow, signedBy kid: String? = nil, at now: Date, in executor: any SQLExecutor) async throws
    {
        node = row.id
        let signer = kid.map { Ancestor(.signer, $0).label }
        let revocations = try await executor.query(
            """
            select r.label, r.revoked_at, r.actor, r.reason from revocation r
            where r.node = any (\(row.lineage)) or r.label = \(signer)
                order by array_position(\(row.lineage), r.node), r.revoked_at limit 1
            """)
        cause = try revocations.first.map { row in
            Cause(node: try row("label"), at: try row("revoked_at"), by: try row("actor"), reason: try row("reason"))
        }
        rule =
            switch cause {
            case let cause? where cause.node == Ancestor.epoch.label: .epoch
            case .some: .revoked
            case nil where row.usedAt != nil: .used
            case nil where row.expiresAt <= now: .expired
            case nil: .live
            }
    }

    public var json: JSONValue {
        let cause: JSONValue =
            self.cause.map {
                [
                    "node": .string($0.node), "at": .string($0.at.rfc3339), "by": .string($0.by),
                    "reason": JSONValue($0.reason),
                ]
            } ?? .null
        return [
            "live": .bool(isLive), "node": .string("token:\(node)"), "rule": .string(rule.rawValue),
            "reference": .string(rule.reference), "cause": cause,
        ]
    }
}
