import Database
import Foundation
import Testing

@Suite("Transactions")
struct TransactionTests {
    private struct Refused: Error {}

    private func count(_ executor: some SQLExecutor) async throws -> Int {
        try await executor.value("select count(*) as n from t")
    }

    @Test("commits what the closure did, invisible until then")
    func commit() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")

            let value = try await database.transaction { transaction in
                try await transaction.execute("insert into t values (1)")
                _ = try await transaction.batch(["insert into t values (2)", "insert into t values (3)"])
                #expect(try await count(database) == 0)
                return try await count(transaction)
            }

            #expect(value == 3)
            #expect(try await count(database) == 3)
        }
    }

    @Test("rolls back when the closure throws, and the connection serves on")
    func rollback() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            try await database.execute("create table t (id int8)")

            await #expect(throws: Refused.self) {
                try await database.transaction { transaction in
                    try await transaction.execute("insert into t values (1)")
                    throw Refused()
                }
            }

            #expect(try await count(database) == 0)
        }
    }

    @Test("an error the closure swallowed still prevents the commit")
    func swallowed() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8 primary key)")

            let error = await failure {
                try await database.transaction { transaction in
                    try await transaction.execute("insert into t values (1)")
                    _ = try? await transaction.execute("insert into t values (1)")
                }
            }

            #expect(error == .unique(constraint: "t_pkey"))
            #expect(try await count(database) == 0)
        }
    }

    @Test("a constraint that is checked at commit throws there")
    func deferred() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8 constraint later unique deferrable initially deferred)")

            let error = await failure {
                try await database.transaction { _ = try await $0.execute("insert into t values (1), (1)") }
            }

            #expect(error == .unique(constraint: "later"))
            #expect(try await count(database) == 0)
        }
    }

    @Test("settle commits its refusal, then throws it")
    func settle() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")

            await #expect(throws: Refused.self) {
                try await database.settle { transaction -> Outcome<Int> in
                    try await transaction.execute("insert into t values (1)")
                    return .refused(Refused())
                }
            }
            let done = try await database.settle { transaction -> Outcome<Int> in .done(try await count(transaction)) }

            #expect(done == 1)
        }
    }

    @Test("rollingBack returns the value and leaves nothing")
    func dryRun() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")

            let value = try await database.rollingBack { transaction in
                try await transaction.execute("insert into t values (1)")
                return try await count(transaction)
            }

            #expect(value == 1)
            #expect(try await count(database) == 0)
        }
    }

    @Test("a transaction that escaped its closure is refused, and disturbs nobody")
    func escaped() async throws {
        try await TestDatabase.with(connections: 1) { (database) async throws in
            try await database.execute("create table t (id int8)")

            let escaped = try await database.transaction { $0 }
            let error = await failure { try await escaped.execute("insert into t values (1)") }

            #expect(error == .server(sqlState: "25000", message: "the transaction is not open"))
            #expect(try await count(database) == 0)
        }
    }

    @Test("statements of one transaction may be sent together")
    func together() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")

            try await database.transaction { transaction in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for id in 0..<20 { group.addTask { try await transaction.execute("insert into t values (\(id))") } }
                    try await group.waitForAll()
                }
            }

            #expect(try await count(database) == 20)
        }
    }

    @Test("callers beyond the pool wait, and no longer than the limit")
    func waiting() async throws {
        try await TestDatabase.with(connections: 1, waitLimit: 3) { (database) async throws in
            let error = await failure {
                try await database.transaction { outer in
                    try await outer.execute("select 1")
                    try await database.transaction { _ = try await $0.query("select 1") }
                }
            }

            #expect(error == .unavailable("no connection became free in time"))
            #expect(try await database.value("select 1 as one") == 1)
        }
    }

    @Test("two that deadlock: one is a serialization failure, the other commits")
    func deadlock() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")
            try await database.execute("insert into t values (1), (2)")
            let (locked, continuation) = AsyncStream.makeStream(of: Void.self)
            let touch = { @Sendable (first: Int, second: Int, meeting: @Sendable () async -> Void) in
                await failure {
                    try await database.transaction { transaction in
                        try await transaction.execute("update t set id = id where id = \(first)")
                        await meeting()
                        try await transaction.execute("update t set id = id where id = \(second)")
                    }
                }
            }
            let (other, otherContinuation) = AsyncStream.makeStream(of: Void.self)

            async let one = touch(1, 2) {
                continuation.finish()
                for await _ in other {}
            }
            async let two = touch(2, 1) {
                otherContinuation.finish()
                for await _ in locked {}
            }

            #expect(Set([await one == .serialization, await two == .serialization]) == [true, false])
        }
    }
}
