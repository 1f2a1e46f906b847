import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("token-tree.md rule 6: partitions")
struct PartitionTests {
    private static let day: TimeInterval = 86_400

    private func tables(_ tree: TestTree) async throws -> Set<String> {
        Set(try await tree.database.query("select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace")
            .map { try $0("name") })
    }

    @Test("partitions are made ahead for every life span; making them twice is harmless, also at once")
    func ahead() async throws {
        try await TestTree.with { tree in
            let planned = Set((PartitionPlan.tokens(at: tree.time.now) + PartitionPlan.oneTime(at: tree.time.now)).map(\.table))
            #expect(try await tables(tree) == planned)

            tree.time.advance(3 * PartitionTests.day)
            _ = try await crowd(6) { _ in try await tree.partitions.makeAhead() }

            let more = Set((PartitionPlan.tokens(at: tree.time.now) + PartitionPlan.oneTime(at: tree.time.now)).map(\.table))
            #expect(try await tables(tree) == planned.union(more))
            #expect(more != planned)
        }
    }

    @Test("a token stands in the partition that its identifier names", arguments: [60, 2 * day, 30 * day, 60 * day, 365 * day, 400 * day])
    func place(_ life: TimeInterval) async throws {
        try await TestTree.with { tree in
            let token = try await tree.child(of: tree.instance(), lifetime: life)

            let table: String = try await tree.database.value("select tableoid::regclass::text from token where id = \(token.row.id)")

            #expect(table == PartitionPlan.partition(of: token.row.id))
            #expect(try await tree.isLive(token))
        }
    }

    @Test("dead partitions are dropped a day late; what was in them is unknown, what lives longer stays")
    func drop() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), short = try await tree.child(of: instance), long = try await tree.child(of: instance, lifetime: 30 * PartitionTests.day)
            let idle = try await tree.child(of: instance, refresh: .init(idle: 100))
            let table = try #require(PartitionPlan.partition(of: short.row.id)), end = try #require(PartitionPlan.end(ofTable: table, parent: "token"))

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

    @Test("a process that slept past its plan makes what is missing when it issues or claims", arguments: [30 * day, 100 * day, 500 * day])
    func slept(_ time: TimeInterval) async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), pat = try await tree.child(of: instance, refresh: .init())
            tree.time.advance(time)

            let issued = try await tree.child(of: instance, lifetime: 60)
            #expect(try await tree.isLive(issued))
            #expect(try await tree.oneTime.claim("jti", namespace: "n", expires: tree.time.now + 60))
            guard case .child(let rotated) = try await tree.rotate(pat.refreshToken) else { return #expect(Bool(false), "rotation after \(time) s") }
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

    @Test("the database refuses what breaks a rule", arguments: [
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
