import Foundation
import Testing

@testable import Database

@Suite("A read replica is asked while it is proven to be young")
struct ReadReplicaTests {
    /// Two schemas that each say which they are; what is written in the one is in the other when a test carries it
    /// over.
    private struct Pair: Sendable {
        let primary: Database
        let standby: Database
        let replica: ReadReplica

        static func with(
            mostLag: Duration = .milliseconds(400), _ body: @escaping @Sendable (Pair) async throws -> Void
        ) async throws {
            try await TestDatabase.with { primary in
                try await TestDatabase.with { standby in
                    for (name, database) in [("primary", primary), ("standby", standby)] {
                        try await database.execute(
                            """
                            create table replica_beat (id uuid primary key, number bigint not null,
                                at timestamptz not null)
                            """)
                        try await database.execute("create table place (name text)")
                        try await database.execute("insert into place (name) values (\(name))")
                    }
                    let replica = ReadReplica(standby, of: primary, mostLag: mostLag, logger: TestDatabase.quiet)
                    try await withThrowingTaskGroup { group in
                        group.addTask { await replica.run() }
                        try await body(Pair(primary: primary, standby: standby, replica: replica))
                        group.cancelAll()
                    }
                }
            }
        }

        func carry() async throws {
            for row in try await primary.query("select id, number from replica_beat") {
                let id: UUID = try row("id"), number: Int = try row("number")
                try await standby.execute(
                    """
                    insert into replica_beat (id, number, at) values (\(id), \(number), now())
                    on conflict (id) do update set number = excluded.number
                    """)
            }
        }

        func asked(since instant: ContinuousClock.Instant? = nil) async throws -> String {
            try await replica.read(since: instant) { executor in
                try await executor.query("select name from place").first?("name") ?? ""
            }
        }

        /// Carries over until it is asked.
        func becomesYoung(since instant: ContinuousClock.Instant? = nil) async throws -> Bool {
            for _ in 0..<1_500 {
                try await carry()
                if try await asked(since: instant) == "standby" { return true }
                try await Task.sleep(for: .milliseconds(10))
            }
            return false
        }

        func becomesOld() async throws -> Bool {
            for _ in 0..<1_500 {
                if try await asked() == "primary" { return true }
                try await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }

    @Test("not before it has shown what was written at the primary, and no longer than that is young")
    func proof() async throws {
        try await Pair.with { (pair: Pair) async throws in
            #expect(try await pair.asked() == "primary")
            #expect(try await pair.becomesYoung())
            #expect(pair.replica.age != nil)

            // Nothing is carried over any more, as where its replay is paused.
            #expect(try await pair.becomesOld())
            #expect(try await pair.becomesYoung())
        }
    }

    @Test("what was committed before a moment is in the answer, whatever the lag may be")
    func since() async throws {
        try await Pair.with(mostLag: .seconds(8)) { (pair: Pair) async throws in
            #expect(try await pair.becomesYoung())
            #expect(try await pair.asked() == "standby")

            let now = ContinuousClock.now
            #expect(try await pair.asked(since: now) == "primary")
            #expect(try await pair.becomesYoung(since: now))
        }
    }

    @Test("who has written something sees it, and so does a process that follows nothing")
    func ownWrites() async throws {
        try await Pair.with(mostLag: .seconds(8)) { (pair: Pair) async throws in
            func asked(_ replica: ReadReplica) async throws -> String {
                try await replica.readOwnWrites { try await $0.query("select name from place").first?("name") ?? "" }
            }
            #expect(try await pair.becomesYoung())
            #expect(try await asked(pair.replica) == "standby")
            pair.replica.wrote()
            #expect(try await asked(pair.replica) == "primary")

            let command = ReadReplica(
                pair.standby, of: pair.primary, mostLag: .milliseconds(100), logger: TestDatabase.quiet)
            #expect(try await asked(command) == "primary")
            let same = ReadReplica(
                pair.primary, of: pair.primary, mostLag: .seconds(5), logger: TestDatabase.quiet)
            #expect(try await asked(same) == "primary")
            #expect(same.age == nil)
        }
    }

    @Test("where it fails the primary answers")
    func fails() async throws {
        try await Pair.with { (pair: Pair) async throws in
            #expect(try await pair.becomesYoung())
            try await pair.standby.execute("drop table place")
            try await pair.carry()

            #expect(try await pair.asked() == "primary")
        }
    }

    @Test("each answer has its own proof: of several standbys the next one that is asked may have fallen behind")
    func eachAnswer() async throws {
        try await Pair.with(mostLag: .seconds(60)) { (pair: Pair) async throws in
            #expect(try await pair.becomesYoung())
            #expect(try await pair.asked() == "standby")

            // As one shows it that lacks what the other has shown; no other number is written for long.
            try await pair.standby.execute("update replica_beat set number = 0")
            #expect(pair.replica.age != nil)
            #expect(try await pair.asked() == "primary")
            try await pair.standby.execute("delete from replica_beat")
            #expect(try await pair.asked() == "primary")
            try await pair.carry()
            #expect(try await pair.asked() == "standby")
        }
    }

    @Test("what is refused by what the standby has, or would be written there, is for the primary to say")
    func refused() async throws {
        struct Missing: Error {}
        try await Pair.with(mostLag: .seconds(60)) { (pair: Pair) async throws in
            #expect(try await pair.becomesYoung())
            let found = try await pair.replica.read { executor in
                let name: String? = try await executor.query("select name from place").first?("name")
                guard let name, name == "primary" else { throw Missing() }
                return name
            }
            #expect(found == "primary")
            let written = try await pair.replica.read { try await $0.execute("update place set name = name") }
            #expect(written == 1)
            #expect(try await pair.replica.ask { try await $0.execute("delete from place") } == nil)
            #expect(try await pair.asked() == "standby")
        }
    }

    @Test("a number of another history proves nothing")
    func otherHistory() async throws {
        try await Pair.with(mostLag: .seconds(8)) { (pair: Pair) async throws in
            #expect(try await pair.asked() == "primary")
            for number in [0, -1, 1_000_000] {
                for row in try await pair.primary.query("select id from replica_beat") {
                    let id: UUID = try row("id")
                    try await pair.standby.execute(
                        """
                        insert into replica_beat (id, number, at) values (\(id), \(number), now())
                        on conflict (id) do update set number = excluded.number
                        """)
                }
                try await Task.sleep(for: .milliseconds(60))
                #expect(try await pair.asked() == "primary")
            }
        }
    }

    @Test("rows of processes that ended are deleted after an hour")
    func tidy() async throws {
        try await Pair.with { (pair: Pair) async throws in
            try await pair.primary.execute(
                """
                insert into replica_beat (id, number, at) values
                    (gen_random_uuid(), 1, now() - interval '2 hours'), (gen_random_uuid(), 7, now())
                """)

            try await ReadReplica.tidy(in: pair.primary)

            let left = try await pair.primary.query("select number from replica_beat where number in (1, 7)")
            #expect(try left.map { try $0("number", as: Int.self) } == [7])
        }
    }
}
