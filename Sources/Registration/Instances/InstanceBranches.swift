import Base
import Database
import Foundation
import TokenTree

/// Instances below a version, a key or a person, by pages, for who goes through the tree.
public struct InstanceBranches: Sendable {
    /// Those that are not shown are counted up to here.
    public static let mostCounted = 10_000

    public struct Branch: Sendable {
        public let id: String
        /// Its generation, which anchors all it holds.
        public let anchor: NodeID
        public let isRevoked: Bool
        public let createdAt: Date
        public let account: UUID?
    }

    /// In the order of their ids.
    public let shown: [Branch]
    /// How many come behind these, up to `mostCounted`.
    public let more: Int

    /// `nil` for a kind of ancestor that has none of its own.
    public init?(
        of ancestor: Ancestor, after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws {
        let condition: SQL
        switch ancestor.kind {
        case .version: condition = "i.version = \(ancestor.name)"
        case .key: condition = "i.thumbprint = \(ancestor.name)"
        case .account:
            guard let account = UUID(uuidString: ancestor.name) else { return nil }
            condition = "i.account = \(account)"
        default: return nil
        }
        shown = try await executor.query(
            """
            select i.id, i.lineage[3] as anchor, i.created_at, i.account,
                exists (select from revocation r where r.node = any (i.lineage)) as is_revoked
            from app_instance i where \(condition) and i.id > \(after ?? "") order by i.id limit \(limit)
            """
        ).map { row in
            Branch(
                id: try row("id"), anchor: try row("anchor"), isRevoked: try row("is_revoked"),
                createdAt: try row("created_at"), account: try row("account"))
        }
        guard let last = shown.last, shown.count == limit else {
            more = 0
            return
        }
        more =
            try await executor.query(
                """
                select count(*) as n from (select from app_instance i where \(condition) and i.id > \(last.id)
                    limit \(InstanceBranches.mostCounted)) c
                """
            ).first.map { try $0("n") } ?? 0
    }
}
