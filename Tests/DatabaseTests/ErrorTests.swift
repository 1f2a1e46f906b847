import Foundation
import Testing

@testable import Database

@Suite("SQLSTATE to error")
struct ErrorTests {
    @Test("constraints are named and rows are not")
    func constraints() async throws {
        try await TestDatabase.with { (database) async throws in
            _ = try await database.batch([
                """
                create table parent (id int8 constraint parent_key primary key,
                    secret text not null constraint no_blank check (secret <> ''))
                """,
                "create table child (parent int8 constraint child_parent references parent)",
                "insert into parent values (1, 'hush')",
            ])

            let errors = [
                await failure { try await database.execute("insert into parent values (1, \("topsecret"))") },
                await failure { try await database.execute("insert into child values (\(999_777))") },
                await failure { try await database.execute("insert into parent values (2, '')") },
                await failure { try await database.execute("insert into parent values (3, \(nil as String?))") },
            ]

            #expect(
                errors == [
                    .unique(constraint: "parent_key"), .violation(constraint: "child_parent"),
                    .violation(constraint: "no_blank"),
                    .violation(constraint: "secret"),
                ])
            for error in errors.compactMap(\.self) {
                #expect(!error.description.contains("topsecret") && !error.description.contains("999777"))
            }
        }
    }

    @Test("unknown tables, syntax, and data that must not be quoted")
    func others() async throws {
        try await TestDatabase.with { (database) async throws in
            #expect(await failure { try await database.query("select 1 from absent") } == .undefinedTable)
            #expect(
                await failure { try await database.query("") }
                    == .server(sqlState: "42601", message: "the statement is empty"))
            #expect(
                await failure { try await database.query("select \("tops3cret")::text::uuid") }
                    == .server(sqlState: "22P02", message: "invalid input syntax for type uuid"))
            #expect(
                await failure { try await database.query("select 1 / \(0)") }
                    == .server(sqlState: "22012", message: "division by zero"))
            guard case .server("42601", _) = await failure({ try await database.query("selec 1") }) else {
                Issue.record("no syntax error")
                return
            }
            let one: Int = try await database.value("select 1")
            #expect(one == 1)
        }
    }

    @Test("COPY is refused and the pool survives")
    func copy() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            #expect(await failure { try await database.query("copy (select 1) to stdout") } != nil)
            let one: Int = try await database.value("select 1")
            #expect(one == 1)
        }
    }

    @Test(
        "classes of SQLSTATE",
        arguments: [
            ("57014", "canceling statement due to statement timeout", DatabaseError.timeout),
            ("57014", "canceling statement due to user request", .cancelled),
            ("40001", "", .serialization), ("40P01", "", .serialization), ("42P01", "", .undefinedTable),
            ("57P01", "down", .unavailable("down")),
            ("57P03", "starting", .unavailable("starting")), ("08006", "gone", .unavailable("gone")),
            ("53300", "too many", .unavailable("too many")),
            ("23P01", "", .violation(constraint: "c")), ("23505", "", .unique(constraint: "c")),
            ("P0001", "refused", .server(sqlState: "P0001", message: "refused")),
            (
                "22007", "invalid input syntax for type date: \"x\"",
                .server(sqlState: "22007", message: "invalid input syntax for type date")
            ),
        ])
    func classes(sqlState: String, message: String, expected: DatabaseError) {
        #expect(ServerReport(sqlState: sqlState, message: message, constraint: "c").error == expected)
    }

    @Test("a server that is not there is unavailable")
    func unreachable() async {
        let database = Database(
            .init(connectionString: "host=127.0.0.1 port=1 user=x", waitLimit: 0.5), logger: TestDatabase.quiet)
        let error = await failure { try await database.query("select 1") }

        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await database.close()
    }

    @Test("a malformed connection string is unavailable and is not quoted")
    func malformed() async {
        let database = Database(.init(connectionString: "password=hush nonsense"), logger: TestDatabase.quiet)

        #expect(
            await failure { try await database.query("select 1") } == .unavailable("the connection string is malformed")
        )
        await database.close()
    }
}
