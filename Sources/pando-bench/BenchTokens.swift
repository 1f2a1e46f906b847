import Base
import Database
import Foundation
import OAuth
import Server
import TokenTree

/// What fills the tree before anything is measured: one node above 1 live token, one above 100,000, 10,000 revocations
/// elsewhere, and a crowd.
struct BenchTokens: Sendable {
    static let many = 100_000
    static let revocations = 10_000
    /// Rows of one statement, which has a time limit.
    private static let portion = 20_000

    /// The nodes that are revoked.
    let aboveOne: NodeID
    let aboveMany: NodeID
    /// A token below each.
    let leaves: [NodeID]
    /// The identifiers of the many are this and twelve digits, from 1 to `many` − 1.
    let prefix: String

    /// Lineages are as long as a person's: epoch, version, instance, key, account, parent, token.
    static func fill(_ composition: Composition) async throws -> BenchTokens {
        let store = composition.store, database = composition.database, account = UUID()
        let ancestors = [
            .epoch, Ancestor(.version, "ch.pando.bench.1"), Ancestor(.instance, "bench"), Ancestor(.key, "bench"),
            Ancestor(.account, account.uuidString.lowercased()),
        ]
        let generations = try await store.generations(of: ancestors)
        func issue(below parent: TokenRow?) async throws -> TokenRow {
            let body = TokenBody(
                realm: "idp", kind: .personalAccessToken, parent: parent?.family, anchor: generations[2],
                account: account, client: "bench", jkt: "bench")
            let draft = TokenDraft(
                body, inherited: parent?.lineage ?? [], added: parent == nil ? generations : [],
                lifetime: Lifetimes().personalAccessToken)
            return try await store.issue(draft).row
        }
        let (one, many) = (try await issue(below: nil), try await issue(below: nil))
        let (leaf, sample) = (try await issue(below: one), try await issue(below: many))
        let prefix = sample.id.description.prefix(14) + "8000-8000-"
        for first in stride(from: 1, to: BenchTokens.many, by: portion) {
            try await copy(
                sample.id, prefix: String(prefix), first...min(first + portion, BenchTokens.many) - 1, in: database)
        }
        try await BenchCrowd.fill(composition)
        try await fillRevocations(in: database)
        try await analyze(["token", "ancestor", "app_instance", "family"], in: database)
        return BenchTokens(
            aboveOne: one.family, aboveMany: many.family, leaves: [leaf.id, sample.id], prefix: String(prefix))
    }

    /// What was revoked earlier, as in a federation that has been running for a while.
    static func fillRevocations(in database: Database) async throws {
        _ = try await database.execute(
            """
            insert into revocation (node, label, revoked_at, actor) select gen_random_uuid(), 'bench', now(), 'bench'
            from generate_series(1, \(BenchTokens.revocations)::integer)
            """)
        try await analyze(["revocation"], in: database)
    }

    /// Else PostgreSQL plans for tables that are all but empty, and keeps to that until autovacuum comes by.
    private static func analyze(_ tables: [String], in database: Database) async throws {
        for table in tables { _ = try await database.execute("vacuum (analyze) \(identifier: table)") }
    }

    /// In the partition of the sample and of its shape; only the identifier differs.
    private static func copy(
        _ sample: NodeID, prefix: String, _ numbers: ClosedRange<Int>, in database: Database
    ) async throws {
        _ = try await database.execute(
            """
            insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, account,
                client, jkt)
            select made.id, t.realm, t.kind, made.id, t.parent, t.anchor,
                t.lineage[:cardinality(t.lineage) - 1] || made.id, t.issued_at, t.expires_at, t.account, t.client, t.jkt
            from token t, lateral (
                select (\(prefix) || lpad(n::text, 12, '0'))::uuid as id
                    from generate_series(\(numbers.lowerBound)::integer, \(numbers.upperBound)::integer) n
            ) made
            where t.id = \(sample)
            """)
    }

    /// Live tokens below a node, counted.
    static func live(below node: NodeID, in executor: any SQLExecutor) async throws -> Int {
        try await executor.query(
            """
            select count(*) as live from token t
            where \(node) = any (t.lineage) and t.id <> \(node) and not exists (select from revocation r
                where r.node = any (t.lineage))
            """
        ).first.map { try $0("live") } ?? 0
    }
}
