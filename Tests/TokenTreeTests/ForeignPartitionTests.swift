import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// What `deploy/scaling/foreign-partition.sh` leaves behind; the other server is this one, by tables of other names.
@Suite("docs/scaling.md: partitions on several servers")
struct ForeignPartitionTests {
    /// All partitions of a day are foreign tables.
    private func withForeignDays(_ body: (TestTree, [PartitionPlan.Partition]) async throws -> Void) async throws {
        try await TestTree.with { tree in
            let days = PartitionPlan.tokens(at: tree.time.now).filter { $0.table.hasPrefix("token_days_") }
            try await allowForeign(tree)
            try await tree.database.execute("alter table token drop constraint token_pkey")
            for day in days {
                let table: SQL = "\(identifier: day.table)", beyond: SQL = "\(identifier: beyond(day.table))"
                let bound: SQL = "'\(raw: day.from.uuidString)') to ('\(raw: day.to.uuidString)'"
                try await tree.database.execute("alter table token detach partition \(table)")
                try await tree.database.execute("alter table \(table) rename to \(beyond)")
                try await tree.database.execute(
                    """
                    create foreign table \(table) partition of token for values from (\(bound))
                        server beyond options (table_name '\(raw: self.beyond(day.table))')
                    """)
            }
            try await body(tree, days)
        }
    }

    /// No name of a partition, nor of a table of its own with a lineage.
    private func beyond(_ table: String) -> String { table.replacing("token_", with: "token_beyond_") }

    /// Only a superuser brings in a wrapper; whoever reaches the socket may be one (deploy/postgres.sh).
    private func allowForeign(_ tree: TestTree) async throws {
        let pairs = tree.conninfo.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let place = Dictionary(
            pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        let user = try #require(place["user"]), name = try #require(place["dbname"])
        let host = place["host"] ?? "localhost", port = place["port"] ?? "5432"
        let superuser = Database(
            .init(
                connectionString: tree.conninfo.replacing("user=\(user)", with: "user=postgres"), connections: 1,
                statementTimeout: 600, waitLimit: 600), logger: .quiet)
        let statements: [SQL] = [
            "create extension postgres_fdw",
            """
            create server beyond foreign data wrapper postgres_fdw
                options (host '\(raw: host)', port '\(raw: port)', dbname '\(raw: name)')
            """,
            "grant usage on foreign server beyond to \(identifier: user)",
            """
            create user mapping for \(identifier: user) server beyond
                options (user '\(raw: user)', password_required 'false')
            """,
        ]
        for statement in statements { try await superuser.execute(statement) }
        await superuser.close()
    }

    @Test("they count as made; tokens are issued there, live, and end by a row here; dead ones go, their tables stay")
    func life() async throws {
        try await withForeignDays { tree, days in
            try await tree.partitions.makeAhead()
            #expect(try await tree.partitions.missingAhead() == 0)

            let token = try await tree.child(of: tree.instance())
            let table = try #require(PartitionPlan.partition(of: token.row.id))
            #expect(days.map(\.table).contains(table))
            let there: Int = try await tree.database.value("select count(*) from \(identifier: beyond(table))")
            #expect(there == 1)
            #expect(try await tree.isLive(token))
            try await tree.revocation.revoke(.token(token.row.family), by: .server)
            #expect(try await !tree.isLive(token))

            let end = try #require(PartitionPlan.end(ofTable: table, parent: "token"))
            tree.time.advance(end.timeIntervalSince(tree.time.now) + PartitionPlan.margin + 1)
            #expect(try await tree.partitions.dropDead().contains(table))
            #expect(try await tree.store.find(token.row.id) == nil)
            #expect(try await tree.database.value("select to_regclass(\(table)) is null"))
            #expect(try await tree.database.value("select to_regclass(\(beyond(table))) is not null"))
        }
    }

    @Test("what hangs there below a revoked node keeps its revocation, as what hangs here does")
    func hanging() async throws {
        try await withForeignDays { tree, _ in
            let token = try await tree.child(of: tree.instance()), nothing = NodeID(rawValue: UUID())

            let held = try await HangingNodes(database: tree.database).among([token.row.family, nothing])

            #expect(held == [token.row.family])
        }
    }
}
