import Base
import Database
import Foundation
import TokenTree

/// Whom and what an event is about, as its receiver knows them (RFC 9493): a person by the pairwise `sub`, a node by
/// its pseudonym, and both as one complex subject.
struct SignalSubject: Sendable {
    let issuer: String
    let names: PairwiseNames

    func person(_ account: UUID, at service: String) -> JSONValue {
        ["format": "iss_sub", "iss": .string(issuer), "sub": .string(names.subject(of: account, at: service))]
    }

    static func opaque(_ id: String) -> JSONValue { ["format": "opaque", "id": .string(id)] }

    func ended(_ pseudonym: String, _ about: About?, at service: String) -> JSONValue {
        let node = SignalSubject.opaque(pseudonym)
        guard let about, let account = about.account else { return node }
        var subject: JSONObject = ["format": "complex", "user": person(account, at: service)]
        subject[about.member] = node
        return .object(subject)
    }

    /// What we know of a node that has ended.
    struct About: Sendable {
        /// The member of a complex subject that names it.
        let member: String
        /// Whose it was, where it was one person's, whom the service has met.
        let account: UUID?
        /// `initiating_entity` of CAEP 1.0, 2.
        let initiator: String
    }

    /// `nil` for what is remembered no more: then its pseudonym has to do.
    func about(_ node: NodeID, at service: String, in executor: any SQLExecutor) async throws -> About? {
        let row = try await executor.query(
            """
            select r.label, r.actor,
                case split_part(r.label, ':', 1)
                    when 'session' then (select b.account from browser_session b where b.id = substr(r.label, 9))
                    when 'instance' then (select i.account from app_instance i where i.id = substr(r.label, 10)
                        and exists (select from service_usage u where u.account = i.account
                            and u.service = \(service)))
                    when 'token' then coalesce((select f.account from family f where f.id = r.node),
                        (select t.account from token t where t.id = r.node))
                end as account
            from revocation r where r.node = \(node)
            """
        ).first
        guard let row else { return nil }
        let label: String = try row("label"), actor: String = try row("actor"), found: UUID? = try row("account")
        let parts = label.split(separator: ":", maxSplits: 1).map(String.init), kind = parts.first ?? ""
        // `account:UUID`, `password:UUID`, `grant:UUID/CLIENT`, `use:UUID/SERVICE`.
        let isPersons = ["account", "password", "grant", "use"].contains(kind)
        let named = isPersons ? parts.last.flatMap { UUID(uuidString: String($0.prefix(36))) } : nil
        return About(
            member: SignalSubject.member(kind), account: named ?? found,
            initiator: SignalSubject.initiator(actor))
    }

    /// `node` where all of a person's is meant: who does not know the member takes it for all of theirs, rightly.
    private static func member(_ kind: String) -> String {
        switch kind {
        case "account", "use": "node"
        case "instance": "device"
        default: "session"
        }
    }

    /// By what revocations name: `admin:root`, `account:UUID`, `instance:ID`, `bundle:ID`, `server`, `service:ID`.
    private static func initiator(_ actor: String) -> String {
        switch actor.prefix(while: { $0 != ":" }) {
        case "admin", "operator": "admin"
        case "account", "instance", "bundle", "session", "client": "user"
        default: "system"
        }
    }
}
