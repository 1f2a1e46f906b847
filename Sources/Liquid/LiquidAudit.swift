import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `passkey:ID`. Challenges, signatures and cookies are not in them.
enum LiquidAudit {
    static func write(_ action: String, _ actor: Actor, about credential: [UInt8], account: UUID? = nil, outcome: String = "done", _ detail: JSONObject = [:],
                      at now: Date, in executor: any SQLExecutor) async throws {
        let entry = AuditEntry(actor: actor, action: action, node: "passkey:\(Base64URL.encode(credential))", account: account, outcome: outcome, detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    static func wallet(_ address: String, origin: String?) -> Actor { Actor(name: "wallet:\(address)", origin: origin) }
}
