import Base
import Database
import Foundation
import TokenTree

/// What somebody was told of a person, by which of their instances or web clients: a row of `disclosure`.
public struct Disclosure: Hashable, Sendable {
    /// The instance or web client that asked.
    public let client: String
    /// The service that was told; `nil` where it was the web client itself.
    public let service: String?
    /// As the index names it.
    public let serviceName: String?
    public let base: String?
    /// What its assertions are anchored in, and the ancestor that the service takes for its anchor.
    public let anchor: NodeID?
    public let holder: NodeID?
    /// `nil` where the person has emptied the list since.
    public let claims: [String]?
    /// `amr` of the login behind it, and when that was.
    public let methods: [String]?
    public let loginAt: Date?
    public let firstAt: Date
    public let lastAt: Date
    /// Neither it nor anything above it has been ended since.
    public let isLive: Bool

    init(_ row: Row) throws(DatabaseError) {
        let service: String = try row("service")
        self.service = service.isEmpty ? nil : service
        (client, serviceName, base) = (try row("client"), try row("service_name"), try row("base"))
        (anchor, holder, claims) = (try row("anchor"), try row("holder"), try row("claims"))
        (methods, loginAt) = (try row("methods"), try row("login_at"))
        (firstAt, lastAt, isLive) = (try row("first_at"), try row("last_at"), try row("is_live"))
    }
}

/// Rows of `disclosure`: written by the statement that issues, so that it costs no round trip.
public struct Disclosures: Sendable {
    /// Seconds for which what would say the same is not written again.
    static let pause: TimeInterval = 60
    /// How long it is known after the last time: as long as assertions are.
    static let memory: TimeInterval = PartitionPlan.assertionMemory

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// For `TokenDraft.noted` of an assertion. `body` is what that is made of. A moment ago the same: nothing.
    public func recording(_ body: TokenBody, isInstance: Bool) -> SQL {
        guard let account = body.account, let client = body.client, let service = body.service else {
            return "select id from made where false"
        }
        let now = clock.now(), login = body.claims.login
        // That an address was verified says nothing of anybody by itself.
        let claims = body.claims.released.map(\.name).filter { $0 != "email_verified" }.sorted()
        // An instance moves from one app version to the next, and what hangs below it with it.
        let lineage: SQL =
            isInstance
            ? "made.lineage[1:1] || made.lineage[3:cardinality(made.lineage) - 1]"
            : "made.lineage[1:cardinality(made.lineage) - 1]"
        return """
            insert into disclosure as d (account, client, service, anchor, holder, lineage, claims, methods, login_at,
                first_at, last_at)
            select \(account)::uuid, \(client)::text, \(service)::text, \(body.anchor)::uuid, made.lineage[3],
                \(lineage), \(claims)::text[], \(login.methods)::text[],
                \(login.time.map { Date(numericDate: $0) })::timestamptz, \(now)::timestamptz, \(now)::timestamptz
            from made
            where not exists (select from disclosure k
                where k.account = \(account) and k.client = \(client) and k.service = \(service)
                    and k.ended_at is null and k.claims = \(claims) and k.lineage = \(lineage)
                    and k.last_at > \(now.addingTimeInterval(-Disclosures.pause)))
            on conflict (account, client, service) do update set anchor = excluded.anchor, holder = excluded.holder,
                lineage = excluded.lineage, claims = excluded.claims, methods = excluded.methods,
                login_at = excluded.login_at, last_at = greatest(d.last_at, excluded.last_at), ended_at = null
            """
    }

    /// The statement that notes what a web client itself is told.
    public func recording(_ account: UUID, client: String, claims: [String], _ login: LoginClaims) -> SQL {
        let now = clock.now()
        return """
            insert into disclosure as d (account, client, claims, methods, login_at, first_at, last_at)
            values (\(account), \(client), \(claims.sorted()), \(login.methods)::text[],
                \(login.time.map { Date(numericDate: $0) })::timestamptz, \(now), \(now))
            on conflict (account, client, service) do update set claims = excluded.claims, methods = excluded.methods,
                login_at = excluded.login_at, last_at = greatest(d.last_at, excluded.last_at), ended_at = null
            """
    }

    /// Latest first, ended ones too.
    public func list(of account: UUID, limit: Int, in executor: any SQLExecutor) async throws -> [Disclosure] {
        try await executor.query(
            """
            select d.client, d.service, s.name as service_name, s.base, d.anchor, d.holder, d.claims, d.methods,
                d.login_at, d.first_at, d.last_at,
                d.ended_at is null and not exists (select from revocation r where r.node = any (d.lineage)) as is_live
            from disclosure d left join service s on s.id = d.service
            where d.account = \(account) order by d.last_at desc, d.client, d.service limit \(limit)
            """
        ).map { try Disclosure($0) }
    }

    /// What was told stays known, what hangs below it is over.
    public func end(_ ended: Disclosure, of account: UUID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            update disclosure set ended_at = \(clock.now()) where account = \(account) and client = \(ended.client)
                and service = \(ended.service ?? "")
            """)
    }

    /// The same of all that was opened at a service, through whatever.
    public func end(at service: String, of account: UUID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            update disclosure set ended_at = \(clock.now())
            where account = \(account) and service = \(service) and ended_at is null
            """)
    }

    /// Forgets what was told, and by which login; where nothing hangs below it, the row. How many rows there were.
    @discardableResult
    public func empty(_ account: UUID, in executor: any SQLExecutor) async throws -> Int {
        let emptied = try await executor.execute(
            """
            update disclosure set claims = null, methods = null, login_at = null
            where account = \(account) and claims is not null
            """)
        _ = try await executor.execute(
            """
            delete from disclosure where account = \(account) and (service = '' or ended_at is not null)
            """)
        return emptied
    }

    /// Forgets what was told so long ago that no assertion of it is remembered. So many a round.
    public func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            """
            delete from disclosure d using (
                select k.account, k.client, k.service from disclosure k
                where k.last_at < \(clock.now().addingTimeInterval(-Disclosures.memory))
                order by k.last_at limit 10000 for update skip locked
            ) old
            where d.account = old.account and d.client = old.client and d.service = old.service
            """)
    }
}
