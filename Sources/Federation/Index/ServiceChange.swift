import Base
import Database
import Foundation

/// What an operator says anew of a service; `nil` stays as it is.
public struct ServiceChange: Sendable {
    public var name: String?
    public var claims: [String]?
    public var notify: Hearing.Wish?
    /// `.some(nil)` is the one that the service's document names, if it does.
    public var revocationEndpoint: String??
    public var hasLineage: Bool?

    public init(
        name: String? = nil, claims: [String]? = nil, notify: Hearing.Wish? = nil, revocationEndpoint: String?? = nil,
        hasLineage: Bool? = nil
    ) {
        (self.name, self.claims, self.notify, self.revocationEndpoint) = (name, claims, notify, revocationEndpoint)
        self.hasLineage = hasLineage
    }

    public var isEmpty: Bool {
        name == nil && claims == nil && notify == nil && revocationEndpoint == nil && hasLineage == nil
    }
}

extension ServiceIndex {
    /// In the transaction of `executor`. How the service hears from now on is decided at once where the operator has
    /// said so; else it is found out (`HearingProbe`), and it hears as before until then. Throws `Refused.state` for
    /// one that was removed.
    public func update(
        _ id: String, _ change: ServiceChange, in executor: any SQLExecutor
    ) async throws -> FederationService {
        let now = clock.now(), endpoint: String? = change.revocationEndpoint ?? nil
        let rows = try await executor.query(
            """
            update service s set name = coalesce(\(change.name), s.name),
                claims = coalesce(\(change.claims)::text[], s.claims), notify = coalesce(\(change.notify), s.notify),
                revocation_named = case when \(change.revocationEndpoint != nil) then \(endpoint)
                    else s.revocation_named end,
                lineage = coalesce(\(change.hasLineage)::boolean, s.lineage), changed_at = \(now)
            where s.id = \(id) and s.status <> 'removed' returning \(FederationService.columns)
            """)
        guard let row = rows.first else { throw Refused.state("\(id) was removed") }
        let hearing = try FederationService(row).hearing
        let isCallable = hearing.revocationEndpoint != nil
        let decision = Hearing.decide(hearing.wish, .unasked, isCallable: isCallable)
        let isAbout = change.notify != nil || change.revocationEndpoint != nil
        var statements: [SQL] = ["select pg_notify(\(ServiceIndex.channel), \(id))"]
        if isAbout {
            statements += decision.map { ServiceHearing.change(id, to: $0, at: now) } ?? []
            if decision == nil { statements.append(Hearing.ask("s.id = \(id)", at: now)) }
        }
        _ = try await executor.batch(statements)
        guard let changed = try await find(id, in: executor) else { throw Refused.state("\(id) was removed") }
        return changed
    }
}
