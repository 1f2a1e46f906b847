import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail. Neither codes, PINs, tokens nor keys are in them.
enum OperationsAudit {
    static func write(_ action: String, _ actor: Actor, about node: String, outcome: String = "done", _ detail: JSONObject = [:], at now: Date,
                      in executor: any SQLExecutor) async throws {
        try await AuditTrail.write(AuditEntry(actor: actor, action: action, node: node, outcome: outcome, detail: detail), at: now, in: executor)
    }

    static func node(_ registration: String) -> String { "registration:\(registration)" }

    /// The phone that holds a registration.
    static func phone(_ registration: String, origin: String?) -> Actor { Actor(name: "phone:\(registration)", origin: origin) }
}
