import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `tiqr:IDENTITY`, and neither secret nor answer is in them.
enum TiqrAudit {
    static func write(_ action: String, _ actor: Actor, about subject: String, outcome: String = "done", _ detail: JSONObject = [:], at now: Date,
                      in executor: any SQLExecutor) async throws {
        try await AuditTrail.write(AuditEntry(actor: actor, action: action, node: "tiqr:\(subject)", outcome: outcome, detail: detail), at: now, in: executor)
    }

    /// The phone that holds an identity.
    static func phone(_ identity: String, origin: String?) -> Actor { Actor(name: "phone:\(identity)", origin: origin) }
}
