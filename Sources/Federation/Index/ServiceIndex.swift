import Accounts
import Base
import Database
import Foundation
import TokenTree

/// Rows of `service`, and the empty row of `service_document` that the crawler fills.
public struct ServiceIndex: Sendable {
    public enum Refused: Error, Sendable {
        /// Another service has this id, also one that was removed.
        case idTaken(String, by: FederationService)
        /// Another service is at this base URL.
        case baseTaken(String, by: FederationService)
        case badAddress(String)
        /// The state forbids it, e.g. approving what was removed.
        case state(String)
    }

    /// Where every process is told of a service that has changed, by its id.
    public static let channel = "pando_federation"

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// `base` must be in one spelling already. Endpoints are `BASE/token` and `BASE/events` until the crawler has read
    /// better.
    public func add(
        id: String, name: String, base: WebAddress, client: String, claims: [String], rsd: String?,
        allowsLoopback: Bool, notify: Hearing.Wish = .push, revocationEndpoint: String? = nil,
        hasLineage: Bool = false, status: FederationService.Status = .pending, in executor: any SQLExecutor
    ) async throws -> FederationService {
        let now = clock.now(), address = base.withoutQuery, listed: Date? = status == .active ? now : nil
        let decision = Hearing.decide(notify, .unasked, isCallable: revocationEndpoint != nil)
        // Nothing is inserted beside another one's id or base, so that the transaction lives to say which.
        let rows = try await executor.query(
            """
            with added as (
                insert into service as s (id, name, base, status, client, token_endpoint, events_endpoint, rsd,
                    claims, allow_loopback,
                    created_at, changed_at, listed_at, notify, hears, hears_since, hears_because, revocation_named,
                    lineage)
                values (\(id), \(name), \(address), \(status), \(client), \(address + "/token"),
                    \(address + "/events"), \(rsd), \(claims), \(allowsLoopback),
                    \(now), \(now), \(listed), \(notify), \(decision?.way), \(decision == nil ? nil : now as Date?),
                    \(decision?.because), \(revocationEndpoint), \(hasLineage))
                on conflict do nothing
                returning \(FederationService.columns)
            ), document as (
                insert into service_document (service, next_try) select added.id, \(now) from added
            ), told as (
                insert into delivery (service) select added.id from added on conflict do nothing
            )
            select id, name, base, status, client, token_endpoint, events_endpoint, claims, allow_loopback,
                created_at, notify, hears, hears_since, hears_because, hears_at, lineage, contact, token_lifetime,
                rsd, version, institution, protocols,
                pg_notify(\(ServiceIndex.channel), id)::text as told from added
            """)
        if let row = rows.first { return try FederationService(row) }
        let taken = try await executor.query(
            """
            select \(FederationService.columns) from service s where s.base = \(address) and s.status <> 'removed'
                or s.id = \(id) order by s.id = \(id) limit 1
            """
        ).first.map { try FederationService($0) }
        guard let taken else { throw DatabaseError.serialization }
        throw taken.base == address && taken.status != .removed
            ? Refused.baseTaken(address, by: taken) : Refused.idTaken(id, by: taken)
    }

    /// By id, or by base URL in any spelling; removed ones too.
    public func find(_ name: String, in executor: any SQLExecutor) async throws -> FederationService? {
        let base = WebAddress(name)?.withoutQuery
        return try await executor.query(
            """
            select \(FederationService.columns) from service s where s.id = \(name) or s.base = \(base)
            order by s.id = \(name) desc, s.status = 'removed' limit 1
            """
        ).first.map { try FederationService($0) }
    }

    /// The service at which this client is the service itself.
    public func find(client: String, in executor: any SQLExecutor) async throws -> FederationService? {
        try await executor.query(
            "select \(FederationService.columns) from service s where s.client = \(client) and s.status <> 'removed'"
        )
        .first.map { try FederationService($0) }
    }

    /// Gives the id of the service at which this client is the service itself, if it is one; to be sent with others.
    public static func owned(by client: String) -> SQL {
        "select s.id from service s where s.client = \(client) and s.status <> 'removed'"
    }

    /// Holds while no service has this client.
    public static func hasNone(client: String) -> SQL {
        "not exists (select from service s where s.client = \(client) and s.status <> 'removed')"
    }

    /// Holds while an active service has this base URL, which is in its one spelling.
    public static func isActive(base: String) -> SQL {
        "exists (select from service s where s.base = \(base) and s.status = 'active')"
    }

    /// The active service that a request names by base URL or token endpoint. A token endpoint is the service's below
    /// whose base it is, the nearest one; `nil` when it is below none of them and several claim it.
    public func active(_ target: String, in executor: any SQLExecutor) async throws -> FederationService? {
        guard let question = ServiceIndex.active(target) else { return nil }
        return try ServiceIndex.named(target, try await executor.query(question))
    }

    /// The question of `active`, to be sent with others; `nil` where the target is no address. Its rows are for
    /// `named`.
    public static func active(_ target: String) -> SQL? {
        guard let name = name(target) else { return nil }
        return """
            select \(FederationService.columns) from service s where s.status = 'active' and (s.base = \(name)
                or s.token_endpoint = \(name))
            order by s.base = \(name) desc, starts_with(\(name), s.base || '/') desc, length(s.base) desc limit 2
            """
    }

    public static func named(_ target: String, _ rows: [Row]) throws -> FederationService? {
        guard let name = name(target), let row = rows.first else { return nil }
        let first = try FederationService(row)
        return rows.count == 1 || first.base == name || name.hasPrefix(first.base + "/") ? first : nil
    }

    private static func name(_ target: String) -> String? {
        WebAddress(target).flatMap { $0.query == nil ? $0.withoutQuery : nil }
    }

    /// Whether a service is active, for as long as the transaction lasts: suspending waits.
    public func isActive(_ id: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await !transaction.query("select id from service where id = \(id) and status = 'active' for share").isEmpty
    }

    public func list(
        status: FederationService.Status?, offering: String?, of filter: InstitutionFilter = .everything,
        after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [FederationService] {
        try await executor.query(
            """
            select \(FederationService.columns) from service s
            where (\(status)::text is null and s.status <> 'removed' or s.status = \(status))
              and (\(offering)::text is null or exists (select from service_document d where d.service = s.id
                  and \(offering) = any (d.offered)))
              and \(filter.condition("s.institution", service: "s.id"))
              and (\(after)::text is null or s.id > \(after))
            order by s.id limit \(limit)
            """
        ).map { try FederationService($0) }
    }

    /// One step of the state machine; a step to the state it has is harmless.
    public func move(
        _ id: String, to status: FederationService.Status, in executor: any SQLExecutor
    ) async throws -> FederationService {
        let allowedFrom: [String] =
            switch status {
            case .active: ["pending", "active", "suspended"]
            case .suspended: ["active", "suspended"]
            case .removed: ["pending", "active", "suspended", "removed"]
            case .pending: []
            }
        let now = clock.now()
        let rows = try await executor.query(
            """
            update service s set status = \(status), changed_at = case when s.status = \(status) then s.changed_at
                else \(now) end,
                   listed_at = coalesce(s.listed_at, \(status == .active ? now : nil as Date?))
            where s.id = \(id) and s.status = any (\(allowedFrom)) returning \(FederationService.columns)
            """)
        guard let row = rows.first else {
            throw Refused.state("\(id) cannot become \(status.rawValue) from the state it is in")
        }
        let asked = status == .active ? [Hearing.ask("s.id = \(id)", at: now)] : []
        _ = try await executor.batch(["select pg_notify(\(ServiceIndex.channel), \(id))"] + asked)
        return try FederationService(row)
    }

    /// A service that moved: new endpoints below its new base, read anew by the crawler.
    public func rebase(_ id: String, to base: WebAddress, in executor: any SQLExecutor) async throws {
        let address = base.withoutQuery, now = clock.now()
        _ = try await executor.batch([
            """
            update service set base = \(address), token_endpoint = \(address + "/token"),
                events_endpoint = \(address + "/events"), changed_at = \(now),
                   allow_loopback = \(base.isLoopback) where id = \(id)
            """,
            """
            update service_document set next_try = \(now), document_url = null, etag = null, last_modified = null,
                hash = null where service = \(id)
            """,
            // What it named below its old base may be somebody else's now.
            """
            update event_stream set status = 'disabled', reason = 'the service has moved', holds_after = null,
                changed_at = \(now) where service = \(id) and method = 'push'
            """,
            "select pg_notify(\(ServiceIndex.channel), \(id))", Hearing.ask("s.id = \(id)", at: now),
        ])
        let streams = try await executor.query(
            "select e.id from event_stream e where e.service = \(id) and e.status <> 'disabled'")
        if streams.isEmpty { _ = try await executor.batch(EventStreams.forgetting(id)) }
    }

    /// A removed service keeps its row, so that it hears of the revocations, and gives up its base, its document, its
    /// users, whom it took and its credentials.
    public func remove(_ service: FederationService, in executor: any SQLExecutor) async throws {
        _ = try await move(service.id, to: .removed, in: executor)
        _ = try await executor.batch([
            "delete from service_document where service = \(service.id)",
            "delete from service_usage where service = \(service.id)",
            "delete from service_app where service = \(service.id)",
            "delete from service_policy where service = \(service.id)",
            "delete from service_refusal where service = \(service.id)",
            """
            update account set status = status
                where id in (select g.account from role_grant g where g.service = \(service.id))
            """,
            "delete from role_grant where service = \(service.id)",
            "delete from event_stream where service = \(service.id)",
            """
            update client set secret = null, old_secret = null, old_secret_until = null, jwks = null, jwks_uri = null,
                old_jwks = null, old_jwks_until = null,
                auth_method = 'none', grant_types = '{}'
                where id = \(service.clientID)
            """,
        ])
        _ = try await executor.batch(EventStreams.forgetting(service.id))
    }
}
