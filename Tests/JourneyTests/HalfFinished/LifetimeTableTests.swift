import Database
import TestSupport
import Testing

@Suite("Half-finished things: the tables")
struct LifetimeTableTests {
    private static var artefacts: Set<String> { Set(Artefact.allCases.flatMap(\.tables)) }
    private static var known: Set<String> { artefacts.union(StandingTable.reasons.keys) }

    /// All tables; of partitioned ones the whole.
    private func tables(_ database: Database) async throws -> Set<String> {
        Set(
            try await database.query(
                """
                select c.relname::text as name from pg_class c
                where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
                    and not c.relispartition
                """
            ).map { try $0("name", as: String.self) })
    }

    @Test("each table of the schema is that of an artefact of the matrix, or has a reason why nothing waits in it")
    func complete() async throws {
        try await TestDatabase.with { test in
            let tables = try await tables(test.database)

            #expect(
                tables.subtracting(Self.known).sorted() == [],
                """
                tables that nobody has listed: one whose rows wait for a second half is named by an Artefact, with a \
                driver and its row of the matrix; \
                another one is named in StandingTable, with the reason
                """)
            #expect(Self.known.subtracting(tables).sorted() == [], "listed, and not there")
        }
    }

    @Test("a new table is found")
    func bites() async throws {
        try await TestDatabase.with { test in
            try await test.database.execute(
                "create table raffle_ticket (id text primary key, expires_at timestamptz not null)")

            #expect(try await tables(test.database).subtracting(Self.known) == ["raffle_ticket"])
        }
    }

    @Test("a table is one or the other, and each reason says something")
    func disjoint() {
        #expect(Self.artefacts.intersection(StandingTable.reasons.keys).sorted() == [])
        #expect(StandingTable.reasons.filter { $0.value.isEmpty }.keys.sorted() == [])
    }
}
