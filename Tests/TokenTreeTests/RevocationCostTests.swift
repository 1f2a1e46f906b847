import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md, cost: a revocation is one row")
struct RevocationCostTests {
    /// Rows of each table, and how many of them the running transaction wrote.
    private func census(_ executor: some SQLExecutor) async throws -> [String: [Int]] {
        let tables = try await executor.query(
            """
            select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
                and c.relnamespace = current_schema()::regnamespace
            """)
        var census: [String: [Int]] = [:]
        for table in try tables.map({ try $0("name") as String }) {
            let row = try #require(
                try await executor.query(
                    """
                    select count(*) as rows, count(*) filter (where xmin::text::bigint =
                        pg_current_xact_id()::text::bigint & 4294967295) as written from \(identifier: table)
                    """
                ).first)
            census[table] = [try row("rows"), try row("written")]
        }
        return census
    }

    /// `count` tokens below `parent`, in the partition and with the shape of real ones.
    private func insertDescendants(_ count: Int, below parent: IssuedToken, _ tree: TestTree) async throws {
        let sample = try await tree.child(of: parent)
        try await tree.database.execute(
            """
            insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, client, jkt)
            select made.id, t.realm, t.kind, made.id, t.parent, t.anchor,
                t.lineage[:cardinality(t.lineage) - 1] || made.id, t.issued_at, t.expires_at, t.client, t.jkt
            from token t, lateral (
                select (left(t.id::text, 14) || '8' || substr(m, 1, 3) || '-8' || substr(m, 4,
                    3) || '-' || substr(m, 7, 12))::uuid as id
                from (select md5(n::text) as m from generate_series(1, \(count)) n) digests
            ) made
            where t.id = \(sample.row.id)
            """)
    }

    @Test("whatever hangs below, a revocation adds one row to revocation and one to audit, and touches no other")
    func oneRow() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), pat = try await tree.child(of: instance)
            try await insertDescendants(5_000, below: pat, tree)
            let nodes: [Node] = [
                .token(pat.row.family), .virtual(Ancestor(.instance, "phone")), .virtual(Ancestor(.version, "app.1")),
            ]

            for node in nodes {
                try await tree.database.transaction { transaction in
                    let before = try await census(transaction)
                    try await tree.revocation.revoke(node, by: .server, in: transaction)
                    let after = try await census(transaction)

                    for (table, counts) in after {
                        let known = try #require(before[table])
                        let expected =
                            switch (table, node) {
                            case ("revocation", _), ("audit", _): [known[0] + 1, 1]
                            case ("ancestor", .virtual): [known[0] - 1, 0]
                            default: [known[0], 0]
                            }
                        #expect(counts == expected, "\(table) after revoking \(node.label)")
                    }
                }
            }
        }
    }

    @Test("above 100,000 tokens a revocation writes at most 64 KiB of WAL, most of it other tests'")
    func writeAheadLog() async throws {
        try await TestTree.with { tree in
            var nodes: [Node] = [
                .virtual(Ancestor(.key, "key of phone")), .virtual(Ancestor(.instance, "phone")),
                .virtual(Ancestor(.version, "app.1")), .virtual(.epoch),
            ]
            var parent = try await tree.instance()
            for _ in 0..<8 {
                parent = try await tree.child(of: parent)
                nodes.insert(.token(parent.row.family), at: 0)
            }
            try await insertDescendants(100_000, below: parent, tree)
            let last: UUID = try await tree.database.value("select id from token order by id desc limit 1")
            #expect(try await tree.database.value("select count(*) from token") == 100_010)

            // Other tests write to the same log, so a difference is at least what the revocation wrote: the least of
            // many is nearest.
            var written: [Int] = [], times: [Duration] = []
            for node in nodes {
                let start: String = try await tree.database.value("select pg_current_wal_insert_lsn()::text")
                times.append(
                    try await ContinuousClock().measure { try await tree.revocation.revoke(node, by: .server) })
                written.append(
                    try await tree.database.value(
                        "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), \(start)::text::pg_lsn)::bigint"))
            }

            print("a revocation above 100,000 tokens: \(written.min() ?? 0) bytes of WAL, \(times.min() ?? .zero)")
            #expect(written.allSatisfy { $0 > 0 })
            #expect((written.min() ?? .max) <= 65_536)
            #expect(try await tree.database.value("select count(*) from revocation") == nodes.count)
            #expect(try await !tree.isLive(NodeID(rawValue: last)))
        }
    }

    @Test("looking a token up is one index scan on one partition")
    func plan() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance())
            try await insertDescendants(20_000, below: pat, tree)
            try await tree.database.execute("analyze token")
            try await tree.database.execute("analyze revocation")

            let plan = try await tree.store.plan(of: pat.row.id).joined(separator: "\n")

            #expect(plan.contains(#/Index Scan using token_days_[0-9]+_pkey on token_days_[0-9]+ t/#), "\(plan)")
            #expect(!plan.contains("Append"), "\(plan)")
            #expect(plan.matches(of: #/ on token_/#).count == 1, "\(plan)")
        }
    }
}
