import Base
import Database
import Foundation

/// What an operator says anew of a service; `nil` stays as it is, and `.some(nil)` is none.
public struct ServiceChange: Sendable {
    public var name: String?
    public var claims: [String]?
    public var notify: Hearing.Wish?
    /// `.some(nil)` is the one that the service's document names, if it does.
    public var revocationEndpoint: String??
    public var hasLineage: Bool?
    /// Until a document names another.
    public var tokenEndpoint: String?
    public var eventsEndpoint: String?
    public var rsd: String??
    public var contact: String??
    public var tokenLifetime: Int??

    /// Of `tokenLifetime`; of its column, too.
    public static let tokenLifetimes = 60...86_400

    public init(
        name: String? = nil, claims: [String]? = nil, notify: Hearing.Wish? = nil, revocationEndpoint: String?? = nil,
        hasLineage: Bool? = nil
    ) {
        (self.name, self.claims, self.notify, self.revocationEndpoint) = (name, claims, notify, revocationEndpoint)
        self.hasLineage = hasLineage
    }

    public var isEmpty: Bool {
        name == nil && claims == nil && notify == nil && revocationEndpoint == nil && hasLineage == nil
            && tokenEndpoint == nil && eventsEndpoint == nil && rsd == nil && contact == nil && tokenLifetime == nil
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
                lineage = coalesce(\(change.hasLineage)::boolean, s.lineage),
                token_endpoint = coalesce(\(change.tokenEndpoint), s.token_endpoint),
                events_endpoint = coalesce(\(change.eventsEndpoint), s.events_endpoint),
                rsd = case when \(change.rsd != nil) then \(change.rsd ?? nil) else s.rsd end,
                contact = case when \(change.contact != nil) then \(change.contact ?? nil) else s.contact end,
                token_lifetime = case when \(change.tokenLifetime != nil) then \(change.tokenLifetime ?? nil)::integer
                    else s.token_lifetime end,
                changed_at = \(now)
            where s.id = \(id) and s.status <> 'removed' returning \(FederationService.columns)
            """)
        guard let row = rows.first else { throw Refused.state("\(id) was removed") }
        let hearing = try FederationService(row).hearing
        let isCallable = hearing.revocationEndpoint != nil
        let decision = Hearing.decide(hearing.wish, .unasked, isCallable: isCallable)
        let isAbout = change.notify != nil || change.revocationEndpoint != nil || change.eventsEndpoint != nil
        var statements: [SQL] = ["select pg_notify(\(ServiceIndex.channel), \(id))"]
        if isAbout {
            statements += decision.map { ServiceHearing.change(id, to: $0, at: now) } ?? []
            if decision == nil { statements.append(Hearing.ask("s.id = \(id)", at: now)) }
        }
        if change.rsd != nil {
            statements.append(
                """
                update service_document set next_try = \(now), document_url = null, etag = null, last_modified = null,
                    hash = null where service = \(id)
                """)
        }
        _ = try await executor.batch(statements)
        guard let changed = try await find(id, in: executor) else { throw Refused.state("\(id) was removed") }
        return changed
    }

    /// A service that an operator moves: as `rebase`, where nobody else is. What it is known by – its id, its
    /// pseudonyms, its history, its policy – is of no address, so it stays. Throws `Refused.baseTaken`.
    public func move(
        _ service: FederationService, toBase base: WebAddress, in transaction: any SQLExecutor
    ) async throws -> FederationService {
        // Two who want the same address come one after the other, so that the transaction lives to say whose it is.
        let lock = NodeID(digestOf: "service base \(base.withoutQuery)").lockNumber
        _ = try await transaction.execute("select pg_advisory_xact_lock(\(lock))")
        if let other = try await find(base.withoutQuery, in: transaction), other.id != service.id,
            other.status != .removed
        {
            throw Refused.baseTaken(base.withoutQuery, by: other)
        }
        try await rebase(service.id, to: base, in: transaction)
        guard let moved = try await find(service.id, in: transaction) else {
            throw Refused.state("\(service.id) is gone")
        }
        return moved
    }
}
