import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `tiqr:IDENTITY`, and neither secret nor answer is in them.
enum TiqrAudit {
    /// `account`: whose phone it is, where it is one of the IdP's people.
    static func write(
        _ action: String, _ actor: AuditActor, about subject: String, account: UUID? = nil, outcome: String = "done",
        _ detail: JSONObject = [:],
        at now: Date, in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor, action: action, node: "tiqr:\(subject)", account: account, outcome: outcome, detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    /// A login that was refused, `why` in a word: a line a minute, however many there are.
    static func refuse(
        _ why: String, _ actor: AuditActor, about subject: String, account: UUID?, at now: Date,
        in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor.because(why), action: "tiqr.login", node: "tiqr:\(subject)", account: account,
            outcome: "refused")
        try await AuditTally.count(entry, at: now, in: executor)
    }

    /// The phone that holds an identity.
    static func phone(_ identity: String, origin: String?) -> AuditActor {
        AuditActor(name: "phone:\(identity)", origin: origin)
    }
}
