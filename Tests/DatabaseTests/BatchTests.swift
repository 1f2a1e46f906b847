import Database
import Foundation
import Testing

@Suite("Batches")
struct BatchTests {
    @Test("results come per statement")
    func results() async throws {
        try await TestDatabase.with { (database) async throws in
            let results = try await database.batch([
                "select 1 as n", "select n from generate_series(1, 3) as n", "select 1 where false",
            ])

            #expect(results.map(\.count) == [1, 3, 0])
            #expect(try results[1].map { try $0("n") as Int } == [1, 2, 3])
            #expect(try await database.batch([]).isEmpty)
        }
    }

    @Test("the first error wins and undoes everything")
    func atomic() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8 primary key)")

            let error = await failure {
                try await database.batch(["insert into t values (1)", "insert into t values (1)", "select 1 / 0"])
            }

            #expect(error == .unique(constraint: "t_pkey"))
            #expect(try await database.query("select id from t").isEmpty)
        }
    }

    @Test("a statement behind a lock sees what was committed while it waited")
    func snapshots() async throws {
        try await TestDatabase.with { (database) async throws in
            _ = try await database.batch(["create table t (id int8)"])
            let key = Int64.random(in: 1 ... .max)

            let (locked, lockedContinuation) = AsyncStream.makeStream(of: Void.self)
            async let holding: Void = database.transaction { holder in
                try await holder.execute("select pg_advisory_xact_lock(\(key))")
                lockedContinuation.finish()
                let waiters: SQL =
                    """
                    select count(*) as n from pg_locks where locktype = 'advisory' and not granted
                        and (classid::bigint << 32 | objid::bigint) = \(key)
                    """
                while try await holder.query(waiters).first?("n") == 0 { try await Task.sleep(for: .milliseconds(10)) }
                try await holder.execute("insert into t values (1)")
            }
            for await _ in locked {}
            let results = try await database.batch([
                "select count(*) as n from t", "select pg_advisory_xact_lock(\(key))", "select count(*) as n from t",
            ])
            try await holding

            #expect(try results[0][0]("n") == 0)
            #expect(try results[2][0]("n") == 1)
        }
    }

    @Test("affected rows are counted")
    func affected() async throws {
        try await TestDatabase.with { (database) async throws in
            try await database.execute("create table t (id int8)")

            #expect(try await database.execute("insert into t select generate_series(1, 7)") == 7)
            #expect(try await database.execute("delete from t where id > \(4)") == 3)
            #expect(try await database.execute("update t set id = 0 where false") == 0)
        }
    }
}
