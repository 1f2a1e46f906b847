import Base
import Database
import Foundation

/// What hangs below a node, a part of it, however much there is: for who goes through the tree by hand. No statement
/// reads more than so many rows of an anchor, so what is told of a large one is what was found first.
public struct TreeBranches: Sendable {
    /// Rows of one anchor that are looked through.
    public static let mostScanned = 20_000
    /// Where nothing but the lineage leads to what hangs below.
    static let patience = "2s"

    let store: TokenStore

    public init(store: TokenStore) { self.store = store }

    /// Tokens as they were first issued, of these anchors: at most `most` of each, the oldest first, and only those
    /// below any of `nodes` where these are given.
    public struct Heads: Sendable {
        public var rows: [TokenRow] = []
        /// Of each anchor how many there are besides, as far as it was looked through.
        public var more: [NodeID: Int] = [:]
        /// All of them were looked through.
        public var isAll = true

        public init() {}
    }

    public func heads(
        anchors: [NodeID], below nodes: [NodeID]? = nil, most: Int, in executor: any SQLExecutor
    ) async throws -> Heads {
        guard !anchors.isEmpty else { return Heads() }
        let head: SQL = """
            t.id = t.family and t.kind <> 'code' and (\(nodes)::uuid[] is null or t.lineage && \(nodes))
            """
        let results = try await executor.batch([
            """
            select \(TokenRow.columns) from unnest(\(anchors)) as w (anchor) cross join lateral (
                select \(TreeBranches.lasting) from (
                    select \(TreeBranches.stored) from token t where t.anchor = w.anchor
                    limit \(TreeBranches.mostScanned)
                ) t where \(head) order by t.issued_at, t.id limit \(most)
            ) t order by t.issued_at, t.id
            """,
            """
            select w.anchor, count(*) filter (where \(head)) as heads, count(*) as scanned
            from unnest(\(anchors)) as w (anchor) cross join lateral (
                select t.id, t.family, t.kind, t.lineage from token t where t.anchor = w.anchor
                limit \(TreeBranches.mostScanned)
            ) t group by w.anchor
            """,
        ])
        var found = Heads()
        found.rows = try results[0].map { try TokenRow($0) }
        for row in results[1] {
            let heads: Int = try row("heads"), scanned: Int = try row("scanned")
            if heads > most { found.more[try row("anchor")] = heads - most }
            if scanned >= TreeBranches.mostScanned { found.isAll = false }
        }
        return found
    }

    /// What a person's web clients can refresh, below any of `nodes` where these are given, of one client where it is
    /// named.
    public func families(
        of account: UUID, client: String? = nil, below nodes: [NodeID]? = nil, most: Int, in executor: any SQLExecutor
    ) async throws -> Heads {
        // The kind is spelled out, as it stands in the index.
        let rows = try await executor.query(
            """
            select \(TokenRow.columns) from (
                select f.id, f.id as family, f.lineage, f.issued_at, coalesce(f.idle_until, 'infinity') as expires_at,
                    null::timestamptz as used_at, f.child, f.realm, f.kind, f.parent, f.anchor, f.account, f.client,
                    f.service, f.bundle, f.scope, f.jkt, f.detail
                from family f
                where f.account = \(account) and f.kind = 'access_token'
                    and (\(client)::text is null or f.client = \(client))
                    and (\(nodes)::uuid[] is null or f.lineage && \(nodes))
                order by f.id limit \(most + 1)
            ) t order by t.issued_at, t.id
            """)
        var found = Heads()
        found.rows = try rows.prefix(most).map { try TokenRow($0) }
        found.isAll = rows.count <= most
        return found
    }

    /// Whatever hangs below these nodes, where no anchor is known: the whole table is looked through, for two seconds;
    /// `nil` where that was not enough.
    public func anything(below nodes: [NodeID], most: Int) async throws -> Heads? {
        do {
            return try await store.database.transaction { transaction in
                _ = try await transaction.query(
                    "select set_config('statement_timeout', \(TreeBranches.patience), true)")
                let rows = try await transaction.query(
                    """
                    select \(TokenRow.columns) from (
                        select \(TreeBranches.lasting) from token t
                        where t.lineage && \(nodes) and t.id = t.family and t.kind <> 'code' limit \(most + 1)
                    ) t order by t.issued_at, t.id
                    """)
                var found = Heads()
                found.rows = try rows.prefix(most).map { try TokenRow($0) }
                found.isAll = rows.count <= most
                return found
            }
        } catch DatabaseError.timeout {
            return nil
        }
    }

    private static let stored: SQL = """
        t.id, t.family, t.lineage, t.issued_at, t.expires_at, t.used_at, t.child, t.realm, t.kind, t.parent, t.anchor,
            t.account, t.client, t.service, t.bundle, t.scope, t.jkt, t.detail
        """

    /// The same, of what is refreshed for as long as it can be.
    private static let lasting: SQL = """
        t.id, t.family, t.lineage, t.issued_at, coalesce((select greatest(t.expires_at, coalesce(f.idle_until,
            'infinity')) from family f where f.id = t.id), t.expires_at) as expires_at, t.used_at, t.child, t.realm,
            t.kind, t.parent, t.anchor, t.account, t.client, t.service, t.bundle, t.scope, t.jkt, t.detail
        """
}
