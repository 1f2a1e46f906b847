import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `passkey:ID`. Challenges, signatures and cookies are not in them.
public enum PasskeyAudit {
    public static func write(
        _ action: String, _ actor: AuditActor, about credential: [UInt8], account: UUID? = nil,
        outcome: String = "done", _ detail: JSONObject = [:],
        at now: Date, in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor, action: action, node: "passkey:\(Base64URL.encode(credential))", account: account,
            outcome: outcome, detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    /// An answer in the name of a passkey that is known, which was refused, `why` in a word: a line a minute, however
    /// many there are.
    public static func refuse(
        _ action: String, _ why: String, _ actor: AuditActor, about credential: [UInt8], account: UUID?, at now: Date,
        in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(
            actor: actor.because(why), action: action, node: "passkey:\(Base64URL.encode(credential))",
            account: account, outcome: "refused")
        try await AuditTally.count(entry, at: now, in: executor)
    }
}
