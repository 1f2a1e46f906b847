import Base
import Database
import Foundation
import TokenTree

/// Assertions of before `use` was an ancestor: what left with a lineage keeps it, so they are found by their service,
/// person and anchor, and revoked one by one with the node. Once the last of them is forgotten there are none.
public enum EarlierUses {
    /// For `Revocation`: those that `use:ACCOUNT/SERVICE` stands for without being in their lineage.
    public static func assertions(
        of ancestor: Ancestor, at now: Date, in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
        guard ancestor.kind == .use, parts.count == 2, let account = UUID(uuidString: parts[0]) else { return [] }
        let results = try await executor.batch([
            "select changed_at from setting where name = 'use_since'",
            // A phone's tokens are anchored at its instance, a web client's at the client.
            """
            select i.lineage[3] as anchor from app_instance i where i.account = \(account)
            union
            select a.id from consent c join ancestor a on a.kind = 'client' and a.name = c.client
            where c.account = \(account)
            """,
        ])
        // A day more, since processes of before may have been running still.
        guard let since: Date = try results[0].first.map({ try $0("changed_at") }),
            now < since.addingTimeInterval(PartitionPlan.assertionMemory + 86_400)
        else { return [] }
        let anchors: [NodeID] = try results[1].map { try $0("anchor") }
        return try await TreeView.assertions(anchors: anchors, account: account, at: parts[1], in: executor)
    }
}
