import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// Somebody who holds `token` and all its partitions in another transaction, as `pg_dump` does.
private struct LongReader {
    private let task: Task<Void, any Error>
    private let end: AsyncStream<Void>.Continuation

    init(_ database: Database) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self), (begun, begin) = AsyncStream.makeStream(of: Void.self)
        self.end = end
        task = Task {
            defer { begin.finish() }
            try await database.rollingBack { transaction in
                _ = try await transaction.execute("set transaction isolation level repeatable read")
                for table in ["token", "one_time"] {
                    _ = try await transaction.query("select count(*) from \(identifier: table)")
                }
                begin.finish()
                for await _ in ends {}
            }
        }
        for await _ in begun {}
    }

    func finish() async throws {
        end.finish()
        try await task.value
    }
}

@Suite("token-tree.md rule 6: partitions")
struct PartitionTests {
    private static let day: TimeInterval = 86_400

    private func tables(_ tree: TestTree) async throws -> Set<String> {
        Set(
            try await tree.database.query(
                """
                select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
                    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
                """
            )
            .map { try $0("name") })
    }

    @Test("partitions are made ahead for every life span; making them twice is harmless, also at once")
    func ahead() async throws {
        try await TestTree.with { tree in
            let planned = Set(PartitionPlan.all(at: tree.time.now).map(\.table))
            #expect(try await tables(tree) == planned)

            tree.time.advance(3 * PartitionTests.day)
            _ = try await crowd(6) { _ in try await tree.partitions.makeAhead() }

            let more = Set(PartitionPlan.all(at: tree.time.now).map(\.table))
            #expect(try await tables(tree) == planned.union(more))
            #expect(more != planned)
        }
    }

    @Test(
        "a token stands in the partition that its identifier names",
        arguments: [60, 2 * day, 30 * day, 60 * day, 365 * day, 400 * day])
    func place(_ life: TimeInterval) async throws {
        try await TestTree.with { tree in
            let token = try await tree.child(of: tree.instance(), lifetime: life)

            let table: String = try await tree.database.value(
                "select tableoid::regclass::text from token where id = \(token.row.id)")

            #expect(table == PartitionPlan.partition(of: token.row.id))
            #expect(try await tree.isLive(token))
        }
    }

    @Test("dead partitions are dropped a day late; what was in them is unknown, what lives longer stays")
    func drop() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), short = try await tree.child(of: instance),
                long = try await tree.child(of: instance, lifetime: 30 * PartitionTests.day)
            let idle = try await tree.child(of: instance, refresh: .init(idle: 100))
            let table = try #require(PartitionPlan.partition(of: short.row.id)),
                end = try #require(PartitionPlan.end(ofTable: table, parent: "token"))
            #expect(PartitionPlan.end(ofTable: "token_days_\(Int.max)", parent: "token") == nil)

            tree.time.advance(end.timeIntervalSince(tree.time.now) + PartitionTests.day)
            #expect(try await !tree.partitions.dropDead().contains(table))
            #expect(try await tree.store.find(short.row.id) != nil)
            tree.time.advance(1)
            let dropped = try await tree.partitions.dropDead()

            #expect(dropped.contains(table))
            #expect(dropped.contains { $0.hasPrefix("one_time_days_") })
            #expect(try await tree.store.find(short.row.id) == nil)
            #expect(try await tree.isLive(long))
            #expect(try await tree.isLive(instance))
            #expect(try await tree.database.value("select count(*) from family where id = \(idle.row.family)") == 0)
            #expect(try await tree.partitions.dropDead().isEmpty)
        }
    }

    @Test("a clock that is years ahead drops nothing, as long as the other one is not", arguments: [true, false])
    func clocksApart(isOurs: Bool) async throws {
        try await TestTree.with { tree in
            let token = try await tree.child(of: tree.instance())
            let now = tree.time.now, ahead = now.addingTimeInterval(3 * 365 * PartitionTests.day)
            let keeper = PartitionKeeper(
                database: tree.database, clock: WallClock { isOurs ? ahead : now },
                databaseClock: DatabaseClock { _ in isOurs ? now : ahead }, logger: .quiet)

            let dropped = try await keeper.dropDead(), isLive = try await tree.isLive(token)

            #expect(dropped.isEmpty && isLive)
        }
    }

    @Test(
        "a process that slept past its plan makes what is missing when it issues or claims",
        arguments: [30 * day, 100 * day, 500 * day])
    func slept(_ time: TimeInterval) async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), pat = try await tree.child(of: instance, refresh: .init())
            tree.time.advance(time)

            let issued = try await tree.child(of: instance, lifetime: 60)
            #expect(try await tree.isLive(issued))
            #expect(try await tree.oneTime.claim("jti", namespace: "n", expires: tree.time.now + 60))
            guard case .child(let rotated) = try await tree.rotate(pat.refreshToken) else {
                return #expect(Bool(false), "rotation after \(time) s")
            }
            #expect(try await tree.isLive(rotated))
        }
    }

    @Test("asleep, the first use may be a claim or a rotation as well")
    func sleptFirstUse() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())

            tree.time.advance(30 * PartitionTests.day)
            #expect(try await tree.oneTime.claim("jti", namespace: "n", expires: tree.time.now + 60))
            tree.time.advance(30 * PartitionTests.day)
            guard case .child = try await tree.rotate(pat.refreshToken) else { return #expect(Bool(false), "rotation") }
        }
    }

    @Test("beside somebody who reads for long, partitions are made, and tokens are issued meanwhile")
    func longReader() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), reader = try await LongReader(tree.database)
            tree.time.advance(3 * PartitionTests.day)

            async let made: Void = tree.partitions.makeAhead()
            for _ in 0..<20 { #expect(try await tree.isLive(tree.child(of: instance))) }
            try await made

            let planned = Set(PartitionPlan.all(at: tree.time.now).map(\.table))
            #expect(try await tables(tree).isSuperset(of: planned), "the reader is not waited for")
            try await reader.finish()
        }
    }

    @Test(
        """
        what somebody still reads is dropped by a later round; tokens are issued meanwhile, and nothing else waits \
        for it
        """
    )
    func longReaderOfTheDead() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), short = try await tree.child(of: instance)
            let table = try #require(PartitionPlan.partition(of: short.row.id))
            let end = try #require(PartitionPlan.end(ofTable: table, parent: "token"))
            let idle = try await tree.child(of: instance, refresh: .init(idle: 100))
            let reader = try await LongReader(tree.database)
            tree.time.advance(end.timeIntervalSince(tree.time.now) + PartitionTests.day + 1)
            try await tree.partitions.makeAhead()

            // A server's statements have seconds, where those of tests have a minute.
            let impatient = Database(
                .init(connectionString: tree.conninfo, connections: 2, statementTimeout: 10, waitLimit: 600),
                logger: .quiet)
            let keeper = PartitionKeeper(
                database: impatient, clock: tree.time.clock, databaseClock: .following(tree.time.clock), logger: .quiet)
            let round = Task { (try? await keeper.dropDead()) ?? [] }
            for _ in 0..<20 { #expect(try await tree.isLive(tree.child(of: instance))) }
            #expect(await !round.value.contains(table))
            #expect(try await tree.database.value("select count(*) from family where id = \(idle.row.family)") == 0)
            try await reader.finish()
            await impatient.close()

            // What was interrupted is brought to its end, once nobody in the database reads what is older; other tests
            // do.
            var left: [String]?
            for _ in 0..<100 where left != [] { left = try? await tree.partitions.dropDead() }
            #expect(left == [])
            #expect(try await tree.database.value("select to_regclass(\(table)) is null"))
        }
    }

    @Test("one that cannot be made keeps no other from being made, and is no failure as long as there is time")
    func oneFails() async throws {
        try await TestTree.with { tree in
            tree.time.advance(3 * PartitionTests.day)
            let missing = try #require(PartitionPlan.all(at: tree.time.now).last)
            try await tree.database.execute("create table \(identifier: missing.table) (id text)")

            try await tree.partitions.makeAhead()

            let planned = Set(PartitionPlan.all(at: tree.time.now).map(\.table))
            let made = try await tables(tree)
            #expect(made.isSuperset(of: planned.subtracting([missing.table])) && !made.contains(missing.table))
            tree.time.advance(missing.neededFrom.timeIntervalSince(tree.time.now))
            await #expect(throws: DatabaseError.self, "it is needed now") { try await tree.partitions.makeAhead() }
        }
    }

    @Test(
        "the database refuses what breaks a rule",
        arguments: [
            ("the family is the last of the lineage", "update token set family = gen_random_uuid()"),
            ("life is positive", "update token set expires_at = issued_at"),
            ("kinds are known", "update token set kind = 'cookie'"),
            ("a secret is a SHA-256", "update token set secret = 'short'"),
            ("a refresh family is the last of its lineage", "update family set lineage = array[gen_random_uuid()]"),
            ("rotations count up", "update family set sequence = -1"),
            ("codes are not refreshed", "update family set kind = 'code'"),
            ("ancestors have a known kind", "update ancestor set kind = 'planet'"),
        ])
    func constraints(_ rule: String, _ statement: String) async throws {
        try await TestTree.with { tree in
            _ = try await tree.instance()

            do {
                try await tree.database.execute("\(raw: statement)")
                Issue.record("accepted, though \(rule)")
            } catch DatabaseError.violation(let constraint) {
                #expect(constraint.contains("check"))
            }
        }
    }
}
