import Foundation
import Logging
import Testing

@testable import Database

@Suite("PgBouncer before the server", .timeLimit(.minutes(10)))
struct PoolerTests {
    /// `body` with a database behind it, and a table of its own.
    private func with(
        _ mode: Pooler.Mode, settings: String = "", statementTimeout: TimeInterval = 60,
        _ body: (Database, SQL) async throws -> Void
    ) async throws {
        try await Pooler.with(mode, settings: settings) { pooler in
            let own = Database.Settings(
                connectionString: pooler.conninfo, connections: 6, statementTimeout: statementTimeout, waitLimit: 60)
            let database = Database(own, logger: TestDatabase.quiet)
            let table = "pooled_" + UUID().uuidString.lowercased().replacing("-", with: "")
            try await database.execute("create table \(identifier: table) (id int8 primary key, text text)")
            do { try await body(database, "\(identifier: table)") } catch { Issue.record(error) }
            try await database.execute("drop table \(identifier: table)")
            await database.close()
        }
    }

    @Test(
        "every statement runs as it is written, whoever's session it gets, and transactions hold",
        arguments: [
            (Pooler.Mode.session, ""), (.transaction, ""), (.transaction, "ignore_startup_parameters = options"),
            // Every transaction another session, as far as the pool goes.
            (.transaction, "server_round_robin = 1\nserver_lifetime = 1"),
        ])
    func statements(mode: Pooler.Mode, settings: String) async throws {
        try await with(mode, settings: settings) { (database, table) async throws in
            let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
                for worker in 0..<24 {
                    group.addTask {
                        var wrong = 0
                        for round in 0..<40 {
                            // Texts of one shape, so that a mixed-up name gives a wrong value and no error.
                            let shape = (worker + round) % 7
                            let value: Int = try await database.value(
                                "select \(round) + \(raw: "\(shape * 1_000)") as v")
                            if value != round + shape * 1_000 { wrong += 1 }
                            guard round % 10 == 0 else { continue }
                            try await database.transaction { transaction in
                                let id = worker * 1_000 + round
                                try await transaction.execute("insert into \(table) values (\(id), \("a"))")
                                try await transaction.execute("update \(table) set text = \("b\(id)") where id = \(id)")
                                let text: String = try await transaction.value(
                                    "select text from \(table) where id = \(id)")
                                if text != "b\(id)" { wrong += 1 }
                            }
                        }
                        return wrong
                    }
                }
                return try await group.reduce(0, +)
            }

            #expect(wrong == 0)
            #expect(try await database.value("select count(*) from \(table)") == 24 * 4)
            #expect(try await database.value("select count(*) from pg_prepared_statements") == 0)
            #expect(try await database.value("select current_setting('TimeZone')") == "UTC")
        }
    }

    @Test(
        "statements have their time limit, which is the transaction's alone",
        arguments: [Pooler.Mode.session, .transaction])
    func limit(mode: Pooler.Mode) async throws {
        try await with(mode, statementTimeout: 0.3) { (database, _) async throws in
            #expect(await failure { try await database.query("select pg_sleep(20)") } == .timeout)
            #expect(
                await failure { try await database.transaction { _ = try await $0.query("select pg_sleep(20)") } }
                    == .timeout)
            #expect(try await database.value("select 1") == 1)
        }
        let direct = Database(
            .init(connectionString: try TestDatabase.conninfo(), statementTimeout: 0), logger: TestDatabase.quiet)
        #expect(try await direct.value("select current_setting('statement_timeout')") == "0")
        await direct.close()
    }

    @Test("in session mode notifications are heard")
    func heard() async throws {
        try await with(.session) { (database, _) async throws in
            let channel = UUID().uuidString
            var heard = database.listen(channel).makeAsyncIterator()

            #expect(await heard.next() == .listening)
            try await database.query("select pg_notify(\(channel), 'there')")
            #expect(await heard.next() == .payload("there"))
        }
    }

    @Test("in transaction mode nobody believes to listen, and who waits for a change still sees it")
    func deaf() async throws {
        try await Pooler.with(.transaction) { pooler in
            let settings = Database.Settings(
                connectionString: pooler.conninfo, connections: 3, statementTimeout: 1, waitLimit: 1.5)
            let database = Database(settings, logger: TestDatabase.quiet), channel = UUID().uuidString
            let heard = Box<Database.Notification>()
            let listening = Task { for await one in database.listen(channel) { heard.value = one } }
            let board = ChangeBoard(channel: channel, longestNap: 0.1), hearing = Task { await board.run(on: database) }

            // Longer than a proof may take.
            for _ in 0..<30 {
                try await Task.sleep(for: .milliseconds(100))
                _ = try? await database.query("select pg_notify(\(channel), 'there')")
            }
            #expect(heard.value == nil, "heard or believed to hear \(String(describing: heard.value))")

            let state = Box<String>()
            state.value = "old"
            Task {
                try await Task.sleep(for: .milliseconds(50))
                state.value = "new"
            }
            let seen = try await board.wait(for: "a", unlike: "old", within: 60, clock: .system) {
                State(etag: state.value ?? "")
            }
            #expect(seen.etag == "new")
            for task in [listening, hearing] { task.cancel() }
            await database.close()
        }
    }

    private struct State: WaitedFor {
        let etag: String
        let changesAt: Date? = nil
    }

    @Test("statement mode is refused before anything runs, and it is said why")
    func statementMode() async throws {
        try await Pooler.with(.statement) { pooler in
            let database = Database(.init(connectionString: pooler.conninfo, waitLimit: 15), logger: TestDatabase.quiet)

            let error = await failure { try await database.query("select 1") }

            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("which must pool transactions or sessions"), "\(reason)")
            await database.close()
        }
    }

    @Test("options that the operator wrote are not left out silently")
    func options() async throws {
        try await Pooler.with(.session) { pooler in
            let own = pooler.conninfo + " options='-c search_path=elsewhere'"
            let database = Database(.init(connectionString: own, waitLimit: 15), logger: TestDatabase.quiet)

            let error = await failure { try await database.query("select 1") }

            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.contains("startup parameter"), "\(reason)")
            await database.close()
        }
    }
}
