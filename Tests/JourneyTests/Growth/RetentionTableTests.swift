import Database
import TestSupport
import Testing

@Suite("Growth: the rule for what leaves each table")
struct RetentionTableTests {
    private struct Schema {
        /// All tables; of partitioned ones the whole, and whether it is one.
        var tables: [String: Bool] = [:]
        /// Tables whose rows go with those of others, and these.
        var cascades: Set<[String]> = []

        init(_ database: Database) async throws {
            for row in try await database.query(
                """
                select c.relname::text as name, c.relkind = 'p' as is_partitioned from pg_class c
                where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
                    and not c.relispartition
                """)
            { tables[try row("name")] = try row("is_partitioned", as: Bool.self) }
            for row in try await database.query(
                """
                select c.relname::text as name, p.relname::text as other from pg_constraint f
                join pg_class c on c.oid = f.conrelid join pg_class p on p.oid = f.confrelid
                where f.contype = 'f' and f.confdeltype = 'c' and c.relnamespace = current_schema()::regnamespace
                """)
            { cascades.insert([try row("name"), try row("other")]) }
        }
    }

    /// What does not hold of the list.
    private static func findings(_ list: RetentionTable, _ schema: Schema, _ sources: DeletingSources) -> [String] {
        let listed = list.rules.map(\.table)
        var findings = Set(schema.tables.keys).subtracting(listed).map { "\($0): no rule says what leaves it" }
        findings += Set(listed).subtracting(schema.tables.keys).map { "\($0): listed, and not there" }
        findings += Dictionary(grouping: listed, by: \.self).filter { $1.count > 1 }.keys.map { "\($0): twice" }
        for rule in list.rules {
            if rule.when.isEmpty || rule.by.isEmpty { findings.append("\(rule.table): its row says nothing") }
            if rule.by.contains(.stays), rule.by.count > 1 || !rule.when.hasPrefix("never: ") {
                findings.append("\(rule.table): what stays says why, behind `never: `")
            }
            for means in rule.by {
                switch means {
                case .file(let name) where !sources.deletes(name, from: rule.table):
                    findings.append("\(rule.table): \(name) deletes nothing from it")
                case .with(let other) where !schema.cascades.contains([rule.table, other]):
                    findings.append("\(rule.table): its rows do not go with those of \(other)")
                case .partitions where schema.tables[rule.table] != true:
                    findings.append("\(rule.table): it has no partitions")
                case .unknown(let words): findings.append("\(rule.table): what is \(words)?")
                default: break
                }
            }
        }
        return findings.sorted()
    }

    @Test("docs/operate.md has a row for each table of the schema, and what it says of it is so")
    func complete() async throws {
        try await TestDatabase.with { test in
            let schema = try await Schema(test.database)

            #expect(Self.findings(try .read(), schema, try DeletingSources()) == [])
        }
    }

    @Test("a new table without a rule is found, and so is a rule that is not kept")
    func bites() async throws {
        try await TestDatabase.with { test in
            try await test.database.execute("create table raffle_ticket (id text primary key)")
            let schema = try await Schema(test.database), sources = try DeletingSources()
            let list = try RetentionTable.read(),
                rules = { (by: String) in
                    RetentionTable("| `raffle_ticket` | when it was drawn | \(by) |\n| `consent` | never | stays |")
                        .rules
                }
            func found(_ by: String) -> [String] {
                Self.findings(RetentionTable(rules: rules(by)), schema, sources).filter {
                    $0.hasPrefix("raffle_ticket") || $0.hasPrefix("consent")
                }
            }

            #expect(Self.findings(list, schema, sources) == ["raffle_ticket: no rule says what leaves it"])
            let never = "consent: what stays says why, behind `never: `"
            #expect(found("`AccountStore`") == [never, "raffle_ticket: AccountStore deletes nothing from it"])
            #expect(found("with `account`") == [never, "raffle_ticket: its rows do not go with those of account"])
            #expect(found("partitions") == [never, "raffle_ticket: it has no partitions"])
            #expect(found("somebody") == [never, "raffle_ticket: what is somebody?"])
            #expect(found("") == [never, "raffle_ticket: its row says nothing"])
        }
    }
}
