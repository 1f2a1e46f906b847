import Database
import Foundation
import Testing

@Suite("Connections under load, cancelled, and killed")
struct ConnectionTests {
    @Test("200 concurrent queries over 4 connections each get their own answer")
    func concurrent() async throws {
        try await TestDatabase.with(connections: 4) { (database) async throws in
            let sums = try await withThrowingTaskGroup(of: (Int, Int, Int).self) { group in
                for n in 0..<200 {
                    group.addTask {
                        let row = try await database.query("select \(n) * 2 as double, pg_backend_pid() as pid")[0]
                        return (n, try row("double"), try row("pid"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(sums.allSatisfy { $0.1 == $0.0 * 2 })
            #expect(Set(sums.map(\.2)).count <= 4)
        }
    }

    @Test("an error in the pipeline does not touch its neighbours")
    func neighbours() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
                for n in 0..<100 {
                    group.addTask {
                        (n, await failure { try await database.query("select 1 / \(n % 3) as q, \(n) as n") } == nil)
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }

            #expect((0..<100).allSatisfy { outcomes[$0] == ($0 % 3 != 0) })
        }
    }

    @Test("large values and results pass")
    func large() async throws {
        try await TestDatabase.with(connections: 2) { (database) async throws in
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 { group.addTask { try await database.value("select \(bytes) as b") == bytes } }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test("one text with two parameter types is two statements")
    func types() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            for _ in 0..<3 {
                #expect(try await database.value("select \(1) as v") == 1)
                #expect(try await database.value("select \("x") as v") == "x")
            }
        }
    }

    @Test("a stale plan is made anew once")
    func stalePlan() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            try await database.execute("create table t (a int4)")
            try await database.execute("insert into t values (1)")
            #expect(try await database.query("select * from t")[0].columns == ["a"])

            try await database.execute("alter table t add b int4")
            #expect(try await database.query("select * from t")[0].columns == ["a", "b"])
            try await database.execute("deallocate all")
            #expect(try await database.query("select * from t")[0].columns == ["a", "b"])
        }
    }

    @Test("more statements than the cache holds")
    func eviction() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            for round in 0..<2 {
                for n in 0..<300 {
                    #expect(try await database.value("select \(round) + \(raw: "\(n)") as v") == n + round)
                }
            }
            let prepared: Int = try await database.value("select count(*) as n from pg_prepared_statements")
            #expect(prepared <= 257)
        }
    }

    @Test("the session has the settings we rely on")
    func session() async throws {
        try await TestDatabase.with(statementTimeout: 7) { (database) async throws in
            let row = try await database.query(
                """
                select current_setting('statement_timeout') as timeout, current_setting('TimeZone') as zone,
                    current_setting('application_name') as name,
                       current_setting('standard_conforming_strings') as strings,
                           current_setting('synchronous_commit') as durable,
                    current_setting('random_page_cost') as page, current_setting('jit') as jit
                """)[0]

            #expect(
                try row.columns.map { try row($0) as String } == ["7s", "UTC", "pando", "on", "on", "1.1", "off"])
        }
    }

    @Test("what the connection string sets stands above our own settings")
    func operatorsSettings() async throws {
        let given = TestDatabase.adding("random_page_cost=3", to: try TestDatabase.conninfo())
        let database = Database(.init(connectionString: given, connections: 1), logger: TestDatabase.quiet)

        let (page, jit): (String, String) = try await (
            database.value("select current_setting('random_page_cost')"),
            database.value("select current_setting('jit')")
        )
        await database.close()

        #expect(page == "3" && jit == "off")
    }

    @Test("a statement that takes too long is a timeout")
    func timeout() async throws {
        try await TestDatabase.with(statementTimeout: 0.2) { (database) async throws in
            #expect(await failure { try await database.query("select pg_sleep(5)") } == .timeout)
            #expect(
                await failure { try await database.transaction { _ = try await $0.query("select pg_sleep(5)") } }
                    == .timeout)
            #expect(try await database.value("select 1 as one") == 1)
        }
    }

    @Test(
        "a cancelled caller goes at once; in a transaction the statement ends on the server too",
        arguments: [false, true])
    func cancellation(inTransaction: Bool) async throws {
        try await TestDatabase.with(connections: 2) { (database) async throws in
            let marker = "pg_sleep(120) /* \(UUID().uuidString) */"
            let sleeper = Task {
                await failure {
                    if inTransaction {
                        try await database.transaction { _ = try await $0.query("select \(raw: marker)") }
                    } else {
                        _ = try await database.query("select \(raw: marker)")
                    }
                }
            }
            let count: SQL =
                "select count(*) as n from pg_stat_activity where state = 'active' and query = \("select " + marker)"
            for _ in 0..<1_500 where try await database.value(count) as Int == 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            sleeper.cancel()

            #expect(await sleeper.value == .cancelled)
            // Outside a transaction the caller is gone while the statement still runs; inside one it ends with its
            // caller.
            let running: Int = try await database.value(count)
            #expect(running == (inTransaction ? 0 : 1))
            #expect(try await database.value("select 1 as one") == 1)
        }
    }

    @Test("a cancelled task sends nothing")
    func cancelledBefore() async throws {
        try await TestDatabase.with { (database) async throws in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await failure { try await database.execute("create table t (id int8)") }
            }
            task.cancel()

            #expect(await task.value == .cancelled)
            #expect(await failure { try await database.query("select id from t") } == .undefinedTable)
        }
    }

    @Test("a killed backend makes its statement unavailable, and the next one works", arguments: [false, true])
    func killed(inTransaction: Bool) async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            try await TestDatabase.with { (killer) async throws in
                let pid = try await backend(database)
                async let victim = failure {
                    if inTransaction {
                        try await database.transaction { _ = try await $0.query("select pg_sleep(5)") }
                    } else {
                        _ = try await database.query("select pg_sleep(5)")
                    }
                }
                var isKilled = false
                while !isKilled {
                    let rows = try await killer.query(
                        """
                        select pg_terminate_backend(pid) from pg_stat_activity where pid = \(pid)
                            and state = 'active' and query like '%pg_sleep(5)%'
                        """)
                    isKilled = !rows.isEmpty
                }

                guard case .unavailable = await victim else {
                    Issue.record("not unavailable")
                    return
                }
                #expect(try await backend(database) != pid)
            }
        }
    }

    @Test("a connection that died while idle is replaced unnoticed")
    func killedIdle() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            try await TestDatabase.with { (killer) async throws in
                let pid = try await backend(database)
                try await killer.query("select pg_terminate_backend(\(Int32(pid)), 5000)")
                try await Task.sleep(for: .milliseconds(200))

                #expect(try await backend(database) != pid)
            }
        }
    }

    @Test("nothing hangs and nothing is lost while backends are killed under load", .timeLimit(.minutes(10)))
    func killedUnderLoad() async throws {
        try await TestDatabase.with(connections: 6) { (database) async throws in
            try await database.execute("create table t (id int8 primary key, n int8 not null)")
            try await database.execute("insert into t select g, 0 from generate_series(1, 20) g")
            let end = ContinuousClock.now + .seconds(2)
            let schema: String = try await database.value("select current_schema()")
            let killer = Task {
                while ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(40))
                    _ = try? await database.query(
                        """
                        select pg_terminate_backend(pid) from pg_locks
                            where relation = \(schema + ".t")::text::regclass and pid <> pg_backend_pid() limit 1
                        """)
                }
            }

            let outcomes = await withTaskGroup(of: [DatabaseError?].self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        var outcomes: [DatabaseError?] = []
                        while ContinuousClock.now < end {
                            outcomes.append(
                                await failure {
                                    try await database.transaction { transaction in
                                        try await transaction.execute(
                                            "update t set n = n + 1 where id = \(Int.random(in: 1...20))")
                                        try await transaction.query("select pg_sleep(0.001)")
                                    }
                                })
                        }
                        return outcomes
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            try await killer.value

            let commits = outcomes.count { $0 == nil }
            let sum: Int = try await database.value("select sum(n)::int8 from t")
            // A commit whose answer was lost may have happened.
            #expect(commits <= sum && sum <= outcomes.count)
            #expect(outcomes.allSatisfy { if case .unavailable = $0 { true } else { $0 == nil } })
        }
    }

    @Test("close waits for what is in flight and refuses the rest")
    func closing() async throws {
        try await TestDatabase.with { (database) async throws in
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            async let slow: Int = database.transaction { transaction in
                try await transaction.execute("select 1")
                continuation.finish()
                return try await transaction.value("select 7 from pg_sleep(0.3)")
            }
            for await _ in begun {}
            await database.close()

            let seven = try await slow
            #expect(seven == 7)
            #expect(await failure { try await database.query("select 1") } == .unavailable("shutting down"))
        }
    }
}
