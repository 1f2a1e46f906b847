import Base
import Database
import Foundation

/// What hangs below a node, for people and scripts (`pando admin tree show`). Not on any hot path.
public struct TreeView: Sendable {
    let store: TokenStore

    public init(store: TokenStore) { self.store = store }

    /// How many live tokens of `realm` a revocation would end, refreshable ones counted once.
    public func countLive(
        below node: NodeID, realm: String, at now: Date, in executor: any SQLExecutor
    ) async throws -> Int {
        let rows = try await executor.query(
            """
            select count(distinct found.family) as number from (
                select t.family, t.lineage from token t where \(node)::uuid = any (t.lineage)
                    and t.realm = \(realm) and t.expires_at > \(now)
                union all
                select f.id, f.lineage from family f where \(node)::uuid = any (f.lineage) and f.realm = \(realm)
                    and (f.idle_until is null or f.idle_until > \(now))
            ) found
            where not exists (select from revocation r where r.node = any (found.lineage))
            """)
        return try rows.first.map { try $0("number") } ?? 0
    }

    /// How many assertions below a node each service holds, revoked ones left out.
    public func assertionsPerService(below node: NodeID, in executor: any SQLExecutor) async throws -> [String: Int] {
        let rows = try await executor.query(
            """
            select t.service, count(t.id) as number from token t
            where \(node)::uuid = any (t.lineage) and t.kind = 'assertion' and not exists (select from revocation r
                where r.node = any (t.lineage))
            group by t.service
            """)
        return Dictionary(try rows.map { (try $0("service"), try $0("number")) }, uniquingKeysWith: +)
    }

    /// Assertions for a service that these anchors got, of one person where one is named, and that nothing has ended:
    /// what came of them at the service may live long after them. Oldest first.
    public static func assertions(
        anchors: [NodeID], account: UUID? = nil, at service: String, in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        try await executor.query(
            """
            select t.family from token t
            where t.anchor = any (\(anchors)) and t.kind = 'assertion' and t.service = \(service)
              and (\(account)::uuid is null or t.account = \(account))
              and not exists (select from revocation r where r.node = any (t.lineage))
            order by t.id
            """
        ).map { try $0("family") }
    }

    /// The generation that is open for an ancestor now, without opening one.
    public func generation(of ancestor: Ancestor, in executor: any SQLExecutor) async throws -> NodeID? {
        try await executor.query("select id from ancestor where kind = \(ancestor.kind) and name = \(ancestor.name)")
            .first.map { try $0("id") }
    }

    /// All generations an ancestor has had.
    public func generations(of ancestor: Ancestor, in executor: any SQLExecutor) async throws -> [NodeID] {
        try await executor.query(
            """
            select id from ancestor where kind = \(ancestor.kind) and name = \(ancestor.name)
            union select node from revocation where label = \(ancestor.label)
            """
        ).map { try $0("id") }
    }

    /// `live`, `expired`, `revoked`, `used`.
    public static func status(of row: TokenRow, at now: Date) -> String {
        if row.isRevoked { return "revoked" }
        if row.usedAt != nil, row.body.kind == .code { return "used" }
        return now < row.expiresAt ? "live" : "expired"
    }

    /// Tokens as `tree show` has them; `children` are nested by parent, `limit` of each, and `more` says how many
    /// others there are. `aliases` gives the real node of a parent known by pseudonym.
    public static func forest(
        _ rows: [TokenRow], aliases: [NodeID: NodeID] = [:], depth: Int, limit: Int = .max, at now: Date
    ) -> [JSONValue] {
        let families = Set(rows.map(\.family))
        func parent(_ row: TokenRow) -> NodeID? { row.body.parent.map { aliases[$0] ?? $0 } }
        // A code is a step on the way, not something that somebody holds.
        let heads = rows.filter { $0.id == $0.family && $0.body.kind != .code }
        let byParent = Dictionary(grouping: heads, by: parent)
        let roots = heads.filter { row in parent(row).map { !families.contains($0) } ?? true }
        func json(_ row: TokenRow, _ depth: Int) -> JSONValue {
            let below = byParent[row.id] ?? [], children = below.prefix(depth > 0 ? limit : 0)
            return .object([
                "node": .string("token:\(row.id)"), "kind": .string(row.body.kind.rawValue),
                "status": .string(status(of: row, at: now)),
                "issued_at": .string(row.issuedAt.rfc3339),
                // What is refreshed for as long as somebody likes has no end.
                "expires_at": row.expiresAt == .distantFuture ? .null : .string(row.expiresAt.rfc3339),
                "client_id": JSONValue(row.body.client),
                "account": JSONValue(row.body.account?.uuidString.lowercased()), "service": JSONValue(row.body.service),
                "children": .array(children.map { json($0, depth - 1) }),
                "more": .integer(below.count - children.count), "is_least": false, "next": .null,
            ])
        }
        return roots.map { json($0, depth) }
    }
}
