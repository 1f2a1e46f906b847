import Administration
import Base
import Database
import Foundation
import TokenTree

/// A revocation with what it ended: counted before, since afterwards nothing lives; `null` where the tree is too large
/// to count (cli.md, `tokens revoke`).
enum RevocationReport {
    /// Counting reads the whole tree, so it has two seconds on a connection of its own: a cut never fails for being
    /// large.
    private static func count(
        _ id: NodeID?, _ realm: String, _ view: TreeView, _ session: AdminSession
    ) async throws -> (tokens: Int, services: [String: Int])? {
        guard let id else { return (0, [:]) }
        do {
            return try await session.database.transaction { transaction in
                _ = try await transaction.execute("set local statement_timeout = '2s'")
                return (
                    try await view.countLive(below: id, realm: realm, at: session.now, in: transaction),
                    try await view.assertionsPerService(below: id, in: transaction)
                )
            }
        } catch DatabaseError.timeout {
            return nil
        }
    }

    /// `realm` is whose tokens are counted, if they are. `revoking` does what else belongs to this revocation, in the
    /// same transaction.
    static func revoke(
        _ node: Node, _ session: AdminSession, realm: String = "idp", isCounted: Bool = true,
        revoking: (() async throws -> RevocationOutcome)? = nil
    ) async throws -> JSONValue {
        let view = TreeView(store: session.store)
        let id: NodeID? =
            switch node {
            case .token(let id): id
            case .virtual(let ancestor): try await view.generation(of: ancestor, in: session.executor)
            }
        let counted = isCounted ? try await count(id, realm, view, session) : nil
        let revoked =
            if let revoking { try await revoking() } else {
                try await session.revocation.revoke(node, by: session.actor, in: session.executor)
            }
        return [
            "node": .string(node.label), "already": .bool(revoked.already),
            "tokens": revoked.already ? 0 : counted.map { .integer($0.tokens) } ?? .null,
            "services": .array(
                revoked.services.map { service in
                    ["id": .string(service), "tokens": counted.map { .integer($0.services[service] ?? 0) } ?? .null]
                }),
            "revoked_at": JSONValue((revoked.revokedAt ?? session.now).rfc3339), "dry_run": .bool(session.isDryRun),
        ]
    }
}
