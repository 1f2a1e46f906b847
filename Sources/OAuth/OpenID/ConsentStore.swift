import Base
import Database
import Foundation
import Registration
import TokenTree

/// Rows of `consent`: what a person agreed to let a client know and do.
public struct ConsentStore: Sendable {
    public struct Given: Sendable {
        public let client: WebClient
        public let scopes: [String]
        /// Names of the services at which it may act for them, those that are active.
        public let services: [String]
        public let since: Date
    }

    let clients: WebClientStore
    let clock: WallClock

    /// The node of one person's grant to one client: revoking it ends everything that the client holds of that person.
    public static func node(_ account: UUID, _ client: String) -> Ancestor {
        Ancestor(.grant, "\(account.uuidString.lowercased())/\(client)")
    }

    /// Whether all of this was agreed to before; `services` by their ids. `locking` keeps it so until the transaction
    /// ends: withdrawing waits.
    func covers(
        _ account: UUID, _ client: String, scopes: [String], claims: [String], services: [String],
        locking: Bool = false, in executor: any SQLExecutor
    ) async throws -> Bool {
        try await !executor.query(
            """
            select account from consent
            where account = \(account) and client = \(client) and scopes @> \(scopes)
                and claims @> \(claims) and services @> \(services) \(raw: locking ? "for share" : "")
            """
        ).isEmpty
    }

    /// Names of the claims that the person agreed to let the client know; none where nothing was agreed to.
    func claims(_ account: UUID, _ client: String, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            "select claims from consent where account = \(account) and client = \(client)"
        ).first.map { try $0("claims") } ?? []
    }

    /// Adds to what was agreed before.
    func give(
        _ account: UUID, _ client: String, scopes: [String], claims: [String], services: [String],
        in executor: any SQLExecutor
    ) async throws {
        let now = clock.now()
        _ = try await executor.execute(
            """
            insert into consent as c (account, client, scopes, claims, services, given_at, changed_at)
                values (\(account), \(client), \(scopes), \(claims), \(services), \(now), \(now))
            on conflict (account, client) do update set changed_at = excluded.changed_at,
                scopes = coalesce((select array_agg(distinct s order by s)
                    from unnest(c.scopes || excluded.scopes) s), '{}'),
                claims = coalesce((select array_agg(distinct s order by s)
                    from unnest(c.claims || excluded.claims) s), '{}'),
                services = coalesce((select array_agg(distinct s order by s)
                    from unnest(c.services || excluded.services) s), '{}')
            """)
    }

    func list(of account: UUID, in executor: any SQLExecutor) async throws -> [Given] {
        let rows = try await executor.query(
            """
            select o.client, o.scopes, o.given_at, array(select s.name from service s
                where s.id = any (o.services) and s.status = 'active' order by s.name, s.id) as services
            from consent o where o.account = \(account) order by o.given_at desc, o.client limit 200
            """
        )
        var given: [Given] = []
        for row in rows {
            guard let client = try await clients.find(try row("client"), in: executor) else { continue }
            given.append(
                Given(
                    client: client, scopes: try row("scopes"), services: try row("services"),
                    since: try row("given_at")))
        }
        return given
    }

    func withdraw(_ account: UUID, _ client: String, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute("delete from consent where account = \(account) and client = \(client)") == 1
    }
}
