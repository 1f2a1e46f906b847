import Base
import Database
import Federation
import Foundation
import Registration
import Synchronization
import TokenTree
import Vocabulary

/// What a service sees and sets of itself: its entry in the index, and which third-party apps it takes.
public final class OwnService: Sendable {
    let database: Database
    let clients: WebClientStore
    let policies: AppPolicyStore
    let clock: WallClock
    /// Each change is a line of the audit trail, and an event that is kept until the service has taken it.
    private let pace = Mutex(BucketTable<String>())

    init(database: Database, clients: WebClientStore, policies: AppPolicyStore, clock: WallClock) {
        (self.database, self.clients, self.policies, self.clock) = (database, clients, policies, clock)
    }

    /// As an operator sees it, with `policy`.
    public func show(_ service: FederationService) async throws -> JSONValue {
        let client = try await clients.find(service.clientID, in: database)
        var shown = service.json(authMethod: client?.authMethod.rawValue ?? "none")
        shown["policy"] = try await policy(service)
        return .object(shown)
    }

    public func policy(_ service: FederationService) async throws -> JSONValue {
        try await AppPolicyStore.find(service.id, in: database).json
    }

    /// Members that are there replace what was; the answer is all of the policy. 400 `invalid_request` where one
    /// cannot be so, 429 `slow_down` behind a hundred changes, then one in ten seconds. What apps hold that are not
    /// taken any more has ended when this returns.
    public func change(
        _ service: FederationService, _ members: JSONObject, origin: String?
    ) async throws -> JSONValue {
        let wait = pace.withLock { $0.take(service.id, burst: 100, rate: 0.1, at: clock.now()) }
        if let seconds = wait.map({ Int($0.rounded(.up)) }) {
            let policy = ServiceLimit.Policy("changes", burst: 100, rate: 0.1)
            throw OAuthError.exceeded(
                ServiceLimit(policy, remaining: 0, reset: seconds),
                "too many changes; try again in \(seconds) seconds")
        }
        let actor = AuditActor(name: "service:\(service.id)", origin: origin, reason: "policy of the service")
        do {
            return try await database.atomically { transaction in
                let changed = try await policies.change(service, by: actor, in: transaction) {
                    try $0.changed(by: members)
                }
                if changed.isNew {
                    try await AuditTrail.write(
                        AuditEntry(
                            actor: actor, action: "services.policy", node: "service:\(service.id)",
                            detail: changed.summary), at: clock.now(), in: transaction)
                }
                return changed.policy.json
            }
        } catch let refused as AppPolicy.Refused {
            throw OAuthError(.invalidRequest, refused.description)
        }
    }
}
