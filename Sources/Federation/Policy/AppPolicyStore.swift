import Base
import Database
import Foundation
import TokenTree

/// Rows of `service_policy` and `service_app`.
///
/// Who issues a token to an app at a service in the house holds the service's policy shared from before it looks until
/// it commits, and looks in the statement that issues; who changes the policy holds it alone, and ends in the same
/// transaction what apps hold there that are not taken any more. So none slips through between, and what lives is
/// asked for nothing: it hangs below the node that was cut.
public struct AppPolicyStore: Sendable {
    public struct Changed: Sendable {
        public let policy: AppPolicy
        public let isNew: Bool
        /// Tokens that were ended one by one, since they are of before there was a node for them.
        public let earlier: Int
        /// For the audit trail: how it is, how many it names, and of those that it names anew the first.
        public let summary: JSONObject
    }

    /// Names of one kind that a line of the audit trail tells.
    private static let mostTold = 20

    let revocation: Revocation
    let outbox: Outbox

    public init(revocation: Revocation, outbox: Outbox) { (self.revocation, self.outbox) = (revocation, outbox) }

    /// The first statement of a transaction that issues to apps at a service.
    public static func holding(_ service: String) -> SQL {
        "select pg_advisory_xact_lock_shared(\(node(service).lockNumber))"
    }

    /// Holds while the service takes this app, for who is `holding` its policy.
    public static func admits(_ bundle: String, to service: String) -> SQL { admits(bundle, to: "\(service)" as SQL) }

    /// The same of a column, in a statement that reads many services and issues nothing.
    static func admits(_ bundle: String, to service: SQL) -> SQL {
        """
        coalesce((select a.verdict = 'allow' from service_app a where a.service = \(service) and a.bundle = \(bundle)),
            not exists (select from service_policy p where p.service = \(service) and p.apps = 'closed'))
        """
    }

    public static func find(_ service: String, in executor: any SQLExecutor) async throws -> AppPolicy {
        let results = try await executor.batch([
            "select apps from service_policy where service = \(service)",
            "select bundle, verdict from service_app where service = \(service)",
        ])
        let word: String? = try results[0].first?("apps")
        var allow: [String] = [], deny: [String] = []
        for row in results[1] {
            let bundle: String = try row("bundle")
            if try row("verdict", as: String.self) == "allow" { allow.append(bundle) } else { deny.append(bundle) }
        }
        return AppPolicy(
            others: word.flatMap { AppPolicy.Others(rawValue: $0) } ?? .open, allow: allow, deny: deny)
    }

    /// One change after the other: `change` makes the new policy of the one that holds, and throws
    /// `AppPolicy.Refused` where it cannot be so. `ending` is called for each node of what apps hold that are not taken
    /// any more, just before all are revoked at once: it may revoke its own. Nobody issues to apps there until the
    /// transaction ends, so it is to be quick. The service is told of a policy that is new.
    @discardableResult
    public func change(
        _ service: FederationService, by actor: AuditActor, in transaction: any SQLExecutor,
        ending end: ((Ancestor) async throws -> Void)? = nil, _ change: (AppPolicy) throws -> AppPolicy
    ) async throws -> Changed {
        _ = try await transaction.query("select pg_advisory_xact_lock(\(AppPolicyStore.node(service.id).lockNumber))")
        let before = try await AppPolicyStore.find(service.id, in: transaction), policy = try change(before)
        try policy.check()
        guard policy != before else {
            return Changed(policy: policy, isNew: false, earlier: 0, summary: [:])
        }
        let now = outbox.clock.now(), apps = policy.others.rawValue
        let names = policy.allow + policy.deny
        let verdicts = policy.allow.map { _ in "allow" } + policy.deny.map { _ in "deny" }
        _ = try await transaction.batch([
            """
            insert into service_policy (service, apps, changed_at) values (\(service.id), \(apps), \(now))
            on conflict (service) do update set apps = excluded.apps, changed_at = excluded.changed_at
            """,
            "delete from service_app where service = \(service.id)",
            """
            insert into service_app (service, bundle, verdict)
            select \(service.id), named.bundle, named.verdict
            from unnest(\(names), \(verdicts)) as named (bundle, verdict)
            """,
        ])
        let gone = try await untaken(at: service.id, in: transaction)
        if let end { for admission in gone { try await end(admission) } }
        try await RevocationSweep(revocation).revoke(gone, by: actor, in: transaction)
        let earlier = try await endEarlier(
            at: service.id, before: before, now: policy, by: actor, in: transaction)
        if [.active, .suspended].contains(service.status) {
            try await outbox.changed(policy, of: service.id, in: transaction)
        }
        return Changed(
            policy: policy, isNew: true, earlier: earlier, summary: AppPolicyStore.summary(policy, before: before))
    }

    private static func summary(_ policy: AppPolicy, before: AppPolicy) -> JSONObject {
        func fresh(_ names: [String], _ old: [String]) -> JSONValue {
            let old = Set(old)
            return JSONValue(strings: Array(names.lazy.filter { !old.contains($0) }.prefix(mostTold)))
        }
        return [
            "default": .string(policy.others.rawValue), "allow": .integer(policy.allow.count),
            "deny": .integer(policy.deny.count), "allowed": fresh(policy.allow, before.allow),
            "denied": fresh(policy.deny, before.deny), "not_allowed": fresh(before.allow, policy.allow),
            "not_denied": fresh(before.deny, policy.deny),
        ]
    }

    /// What apps hold of before there was a node for an app at a service. Since such a token is ended where an app is
    /// taken no more, only those count that were taken until now.
    private func endEarlier(
        at service: String, before: AppPolicy, now policy: AppPolicy, by actor: AuditActor,
        in transaction: any SQLExecutor
    ) async throws -> Int {
        let closes = before.others == .open && policy.others == .closed
        let were = before.taken(of: before.allow + policy.deny)
        let named = Array(Set(were).subtracting(policy.taken(of: were)))
        guard closes || !named.isEmpty,
            let since: Date = try await transaction.query(
                "select changed_at from setting where name = 'use_since'"
            ).first.map({ try $0("changed_at") })
        else { return 0 }
        // Where a name is given, it is looked up; where the service closes, all of its own are read.
        let condition: SQL =
            closes ? "coalesce(f.bundle <> all (\(policy.allow)), true)" : "f.bundle = any (\(named))"
        // A day more, since processes of before may have been running still.
        return try await RevocationSweep(revocation).revokeApps(
            at: service, issuedBefore: since.addingTimeInterval(86_400), matching: condition, by: actor,
            in: transaction)
    }

    /// What apps hold at a service, or held, that its policy does not take.
    private func untaken(at service: String, in transaction: any SQLExecutor) async throws -> [Ancestor] {
        try await transaction.query(
            """
            select held.bundle from (
                select substr(a.name, length(\(service)) + 2) as bundle from ancestor a
                where a.kind = 'admission' and starts_with(a.name, \(service) || '/')
            ) held
            left join service_app named on named.service = \(service) and named.bundle = held.bundle
            where coalesce(named.verdict = 'deny',
                exists (select from service_policy p where p.service = \(service) and p.apps = 'closed'))
            order by held.bundle
            """
        ).map { .admission(of: try $0("bundle"), to: service) }
    }

    private static func node(_ service: String) -> NodeID { NodeID(digestOf: "app policy \(service)") }
}
