import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `provider:ID`. No claim of a person is in them.
enum UpstreamAudit {
    static func write(
        _ action: String, _ actor: AuditActor, _ provider: String, _ account: UUID?, outcome: String = "done",
        _ detail: JSONObject = [:], at now: Date, in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor, action: action, node: "provider:\(provider)", account: account, outcome: outcome,
            detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }
}
