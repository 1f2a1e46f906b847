import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail. Neither codes, PINs, tokens nor keys are in them.
enum OperationsAudit {
    /// `account`: whose phone it is, where it is one of the IdP's people.
    static func write(
        _ action: String, _ actor: AuditActor, about node: String, account: UUID? = nil, outcome: String = "done",
        _ detail: JSONObject = [:],
        at now: Date, in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor, action: action, node: node, account: account, outcome: outcome, detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    static func node(_ registration: String) -> String { "registration:\(registration)" }

    /// The phone that holds a registration.
    static func phone(_ registration: String, origin: String?) -> AuditActor {
        AuditActor(name: "phone:\(registration)", origin: origin)
    }
}
