import Base
import Foundation
import TokenTree

/// A cut with what it ended: counted before, since afterwards nothing lives (cli.md, `tokens revoke`).
enum CutReport {
    static func cut(_ node: Node, _ session: AdminSession) async throws -> JSONValue {
        let view = TreeView(store: session.composition.store)
        let id: NodeID? = switch node {
        case .token(let id): id
        case .virtual(let ancestor): try await view.generation(of: ancestor, in: session.executor)
        }
        var tokens = 0
        var perService: [String: Int] = [:]
        if let id {
            tokens = try await view.countLive(below: id, realm: "idp", at: session.now, in: session.executor)
            perService = try await view.assertionsPerService(below: id, in: session.executor)
        }
        let cut = try await session.composition.revocation.cut(node, by: session.actor, in: session.executor)
        return [
            "node": .string(node.label), "already": .bool(cut.already), "tokens": .integer(cut.already ? 0 : tokens),
            "services": .array(cut.services.map { ["id": .string($0), "tokens": .integer(perService[$0] ?? 0)] }),
            "revoked_at": JSONValue((cut.revokedAt ?? session.now).rfc3339), "dry_run": .bool(session.isDryRun),
        ]
    }
}
