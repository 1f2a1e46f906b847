import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// What a service sees and sets of itself: its entry in the index, and which third-party apps it takes.
public final class OwnService: Sendable {
    let database: Database
    let clients: WebClientStore
    let policies: AppPolicyStore
    let clock: WallClock

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
    /// cannot be so. What apps hold that are not taken any more has ended when this returns.
    public func change(
        _ service: FederationService, _ members: JSONObject, origin: String?
    ) async throws -> JSONValue {
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
                            detail: changed.policy.summary), at: clock.now(), in: transaction)
                }
                return changed.policy.json
            }
        } catch let refused as AppPolicy.Refused {
            throw OAuthError(.invalidRequest, refused.description)
        }
    }
}

extension AppPolicy {
    /// For the audit trail: how it is, and how many it names.
    public var summary: JSONObject {
        ["default": .string(others.rawValue), "allow": .integer(allow.count), "deny": .integer(deny.count)]
    }
}
