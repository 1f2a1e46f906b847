import Base
import Database
import Foundation
import TokenTree

/// Lines of the audit trail; their node is `tiqr:IDENTITY`, and neither secret nor answer is in them.
enum TiqrAudit {
    static func write(
        _ action: String, _ actor: AuditActor, about subject: String, _ detail: JSONObject = [:], at now: Date,
        in executor: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(actor: actor, action: action, node: "tiqr:\(subject)", detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    /// A login that was refused, `why` in a word, for `AuditTally`: a line a minute, however many there are. `account`:
    /// whose phone it is, where it is one of the IdP's people.
    static func refusal(_ why: String, _ actor: AuditActor, about subject: String, account: UUID?) -> AuditEntry {
        AuditEntry(
            actor: actor.because(why), action: "tiqr.login", node: "tiqr:\(subject)", account: account,
            outcome: "refused")
    }

    /// Right answers: the statement that writes a line for each of `rows`, which have `identity`, `account`, `origin`,
    /// `method` and `owner`; text that is empty is none.
    static func logins(_ rows: SQL, at now: Date) -> SQL {
        AuditTrail.lines(
            "tiqr.login", of: rows, actor: "'phone:' || identity", origin: "nullif(origin, '')",
            node: "'tiqr:' || identity", account: "nullif(account, '')::uuid",
            detail: "jsonb_build_object('method', method, 'owner', owner)", at: now)
    }

    /// A block by wrong answers, if the one of `rows` has a `blocked_until`: the statement that writes its line.
    static func block(
        _ rows: SQL, _ actor: AuditActor, about subject: String, account: UUID?, at now: Date
    ) -> SQL {
        let node = "tiqr:\(subject)"
        return AuditTrail.lines(
            "tiqr.block", outcome: "attempts", of: "\(rows) where blocked_until is not null",
            actor: "\(actor.name)", origin: "\(actor.origin)", node: "\(node)", account: "\(account)",
            detail: """
                jsonb_build_object('until', to_char(blocked_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
                """,
            at: now)
    }

    /// The phone that holds an identity.
    static func phone(_ identity: String, origin: String?) -> AuditActor {
        AuditActor(name: "phone:\(identity)", origin: origin)
    }
}
