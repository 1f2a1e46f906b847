import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("Answers from memory on two processes")
struct ReplicaTests {
    /// Two processes that renew their leases, of which the second answers from memory.
    private static func withPair(
        _ body: @escaping @Sendable (_ one: TestTree, _ two: TestTree, IssuedToken) async throws -> Void
    ) async throws {
        try await TestTree.with { one in
            let two = one.another { _, _ in nil }, token = try await one.instance()
            try await withThrowingTaskGroup { group in
                for tree in [one, two] { group.addTask { await tree.store.leases.run(on: tree.database) } }
                try await Self.warm(two, token)
                try await body(one, two, token)
                group.cancelAll()
            }
        }
    }

    /// As introspection does, for a client that nobody has changed.
    private static func recall(_ tree: TestTree, _ token: IssuedToken) -> Leases.Recalled? {
        tree.store.leases.known.flatMap { tree.store.leases.recall(token.row.id, while: "client:test", since: $0) }
    }

    /// Asks until it is answered from memory. A lease may be over in between: machines that test are busy.
    @discardableResult
    private static func warm(_ tree: TestTree, _ token: IssuedToken) async throws -> Leases.Recalled {
        var recalled: Leases.Recalled?
        _ = try await eventually { () async throws in
            recalled = recall(tree, token)
            if recalled == nil { #expect(try await tree.store.find(token.row.id) != nil) }
            return recalled != nil
        }
        return try #require(recalled)
    }

    private static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1_500 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test("a revocation that has returned is known to all")
    func revocation() async throws {
        try await Self.withPair { one, two, _ in
            for round in 0..<40 {
                let token = try await one.instance("phone \(round)")
                let recalled = try await Self.warm(two, token)

                try await one.revocation.revoke(.virtual(Ancestor(.instance, "phone \(round)")), by: .server)

                #expect(Self.recall(two, token) == nil && !two.store.leases.stands(recalled))
                #expect(try await !two.isLive(token))
                #expect(Self.recall(two, token)?.row.isRevoked != false)
            }
        }
    }

    @Test("one that another revoked and did not wait for is waited for by whoever revokes again")
    func again() async throws {
        try await Self.withPair { one, two, token in
            let generation = token.row.lineage[2]
            // As a process that was killed behind its commit.
            try await one.database.execute(
                """
                insert into revocation (node, label, revoked_at, actor)
                values (\(generation), 'instance:phone', now(), 'test')
                """)
            try await one.revocation.revoke(.token(token.row.family), by: .server)
            #expect(Self.recall(two, token) == nil)
        }
    }

    @Test("an upgrade is read anew")
    func moved() async throws {
        try await Self.withPair { one, two, token in
            let fresh = try await one.store.generations(of: [Ancestor(.version, "app.2")])[0]
            let anchor = token.row.body.anchor, old = token.row.lineage[1]
            try await one.database.atomically { transaction in
                _ = try await one.revocation.move(anchor: anchor, from: old, to: fresh, in: transaction)
            }
            #expect(Self.recall(two, token) == nil)
            #expect(try await two.store.find(token.row.id)?.lineage[1] == fresh)
        }
    }

    @Test("who asks is known no longer once something has changed; others are")
    func names() async throws {
        try await Self.withPair { one, two, token in
            let leases = two.store.leases, known = try #require(leases.known)
            func isRecalled(_ name: String) -> Bool {
                leases.recall(token.row.id, while: name, since: known) != nil
            }
            #expect(try await Self.eventually { isRecalled("client:test") })

            _ = try await one.database.query("select record_change(null, 'client:test')")

            #expect(try await Self.eventually { leases.known != known })
            #expect(!isRecalled("client:test"))
            #expect(try await Self.eventually { isRecalled("client:other") })
            #expect(!isRecalled("client:test"))
            try await Self.warm(two, token)
        }
    }

    @Test("whom nobody asks for a while gives up its lease, and has one again when somebody does")
    func idle() async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance(), leases = Leases(database: tree.database, patience: .seconds(1))
            func replicas() async throws -> Int { try await tree.database.value("select count(*) from replica") }
            try await withThrowingTaskGroup { (group) async throws in
                group.addTask { await leases.run(on: tree.database) }
                #expect(try await Self.eventually { leases.known == nil ? false : try await replicas() == 1 })

                #expect(try await Self.eventually { try await replicas() == 0 })

                #expect(
                    try await Self.eventually { leases.recall(token.row.id) == nil ? try await replicas() == 1 : false }
                )
                group.cancelAll()
            }
            #expect(try await replicas() == 0, "whoever ends says so")
        }
    }

    @Test(
        "who does not answer is waited for as long as a lease is, whatever time its row tells, and once",
        .timeLimit(.minutes(30)), arguments: [-600.0, 1.5, 86_400])
    func silent(lease: Double) async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance(), begun = ContinuousClock.now
            try await Self.enter(tree, lease: lease)
            try await tree.revocation.revoke(.token(token.row.family), by: .server)
            // Otherwise it waits for a day, and the limit of the test ends it.
            #expect(ContinuousClock.now - begun >= .seconds(2.9))
            #expect(try await tree.database.value("select count(*) from replica") == 0)
        }
    }

    @Test("who renews and does not answer is waited for by the next one, too")
    func renewing() async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance()
            try await Self.enter(tree, lease: 3)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        // By as little as a renewal may, where the clock went back.
                        try await tree.database.execute(
                            "update replica set lease_until = lease_until + interval '1 microsecond'")
                        try? await Task.sleep(for: .milliseconds(100))
                    }
                }
                try await tree.revocation.revoke(.token(token.row.family), by: .server)
                group.cancelAll()
            }
            #expect(try await tree.database.value("select count(*) from replica") == 1)
        }
    }

    /// A process that answers nobody, with a lease of so many seconds.
    private static func enter(_ tree: TestTree, lease: Double) async throws {
        try await tree.database.execute(
            """
            insert into replica (id, lease_until, seen)
            values (\(UUID()), clock_timestamp() + \(lease) * interval '1 second', 0)
            """)
    }

    @Test("who was struck off, and lives, says anew what it has seen")
    func struckOff() async throws {
        try await Self.withPair { one, two, token in
            _ = try await one.database.query("select record_change(null, 'client:other')")
            let seen: SQL = "select count(*) from replica where seen = (select max(number) from change)"
            func haveSeen() async throws -> Bool {
                _ = (Self.recall(one, token), Self.recall(two, token))
                return try await one.database.value(seen) == 2
            }
            #expect(try await Self.eventually { try await haveSeen() })

            try await one.database.execute("delete from replica")

            #expect(try await Self.eventually { try await haveSeen() })
        }
    }

    @Test("behind a change of the primary a whole lease is waited for, once")
    func failover() async throws {
        try await TestTree.with { tree in
            let (first, second) = (try await tree.instance("a"), try await tree.instance("b"))
            try await tree.database.execute("update lease_era set history = 'another'")
            let begun = ContinuousClock.now
            try await tree.revocation.revoke(.token(first.row.family), by: .server)
            #expect(ContinuousClock.now - begun >= .seconds(2.9))
            let era = try await tree.database.query("select since from lease_era").first?("since", as: Date.self)
            try await tree.revocation.revoke(.token(second.row.family), by: .server)
            #expect(try await tree.database.query("select since from lease_era").first?("since", as: Date.self) == era)
        }
    }

    @Test("changes have numbers in the order of their commits")
    func order() async throws {
        try await TestTree.with { tree in
            let (late, early) = (NodeID(digestOf: "late"), NodeID(digestOf: "early"))
            @Sendable func insert(_ node: NodeID, in executor: any SQLExecutor) async throws {
                try await executor.execute(
                    """
                    insert into revocation (node, label, revoked_at, actor) values (\(node), 'test', now(), 'test')
                    """)
            }
            try await tree.database.transaction { transaction in
                try await insert(late, in: transaction)
                try await insert(early, in: tree.database)
            }
            let nodes = try await tree.database.query("select node from change order by number")
            #expect(try nodes.map { try $0("node", as: NodeID.self) } == [early, late])
        }
    }
}
