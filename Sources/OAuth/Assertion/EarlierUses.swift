import Base
import Database
import Foundation
import TokenTree

/// What was issued to a person at a service before `use` was an ancestor: what left with a lineage keeps it, so it is
/// found by person and service, and revoked one by one with the node.
public enum EarlierUses {
    /// For `Revocation`: what `use:ACCOUNT/SERVICE` stands for without being in the lineage, and lives: assertions, and
    /// what web clients hold. None once the last is forgotten.
    public static func tokens(
        of ancestor: Ancestor, at now: Date, in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
        guard ancestor.kind == .use, parts.count == 2, let account = UUID(uuidString: parts[0]) else { return [] }
        let service = parts[1]
        let results = try await executor.batch([
            "select changed_at from setting where name = 'use_since'",
            // A phone's tokens are anchored at its instance, a web client's at the client.
            """
            select i.lineage[3] as anchor from app_instance i where i.account = \(account)
            union
            select a.id from consent c join ancestor a on a.kind = 'client' and a.name = c.client
            where c.account = \(account)
            """,
            // The kind is spelled out, as it stands in the index. A web client goes on for ever, if it likes.
            """
            select f.id from family f
            where f.account = \(account) and f.kind = 'access_token' and f.realm = 'idp'
              and exists (select from service s
                  where s.id = \(service) and (s.client = f.client or \(isOnly("f.detail"))))
              and not exists (select from revocation r where r.node = any (f.lineage))
            order by f.id
            """,
        ])
        var found: [NodeID] = try results[2].map { try $0("id") }
        // A day more, since processes of before may have been running still.
        guard let since: Date = try results[0].first.map({ try $0("changed_at") }),
            now < since.addingTimeInterval(PartitionPlan.assertionMemory + 86_400)
        else { return found }
        let anchors: [NodeID] = try results[1].map { try $0("anchor") }
        found += try await TreeView.assertions(anchors: anchors, account: account, at: service, in: executor)
        // What cannot be refreshed, and codes: an hour and a minute.
        if now < since.addingTimeInterval(2 * 86_400) {
            found += try await executor.query(
                """
                select t.family as id from token t
                where t.anchor = any (\(anchors)) and t.account = \(account) and t.realm = 'idp'
                  and t.kind in ('access_token', 'code') and t.expires_at > \(now)
                  and exists (select from service s
                      where s.id = \(service) and (s.client = t.client or \(isOnly("t.detail"))))
                  and not exists (select from revocation r where r.node = any (t.lineage))
                order by t.id
                """
            ).map { try $0("id") }
        }
        return found
    }

    /// Whether the service `s` is what all of a login is for. One that was granted several resources has this one below
    /// the node itself, and goes on for the others.
    private static func isOnly(_ detail: SQL) -> SQL {
        """
        s.base = \(detail) ->> 'aud' and not exists (select from jsonb_array_elements(\(detail) -> 'resources') g
            where g ->> 'aud' = s.base and g -> 'nodes' <> '[]')
        """
    }
}
