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

    /// Asks until it is answered from memory.
    private static func warm(_ tree: TestTree, _ token: IssuedToken) async throws {
        for _ in 0..<500 where Self.recall(tree, token) == nil {
            #expect(try await tree.store.find(token.row.id) != nil)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(Self.recall(tree, token) != nil)
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
                try await Self.warm(two, token)
                let recalled = try #require(Self.recall(two, token))

                try await one.revocation.revoke(.virtual(Ancestor(.instance, "phone \(round)")), by: .server)

                #expect(Self.recall(two, token) == nil && !two.store.leases.stands(recalled))
                #expect(try await !two.isLive(token))
                #expect(Self.recall(two, token) == nil, "what is dead is not remembered")
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
            #expect(isRecalled("client:test"))

            _ = try await one.database.query("select record_change(null, 'client:test')")

            #expect(try await Self.eventually { !isRecalled("client:test") })
            #expect(try await Self.eventually { isRecalled("client:other") })
            let later = try #require(leases.known)
            #expect(leases.recall(token.row.id, while: "client:test", since: later) != nil)
        }
    }

    @Test("whom nobody asks for a while gives up its lease, and has one again when somebody does")
    func idle() async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance(), leases = Leases(database: tree.database, patience: .seconds(1))
            func replicas() async throws -> Int { try await tree.database.value("select count(*) from replica") }
            try await withThrowingTaskGroup { group in
                group.addTask { await leases.run(on: tree.database) }
                _ = leases.known
                #expect(try await Self.eventually { leases.known != nil })
                let known = try #require(leases.known)
                #expect(try await replicas() == 1)

                #expect(try await Self.eventually { try await replicas() == 0 })
                _ = leases.recall(token.row.id, while: "client:test", since: known)

                #expect(try await Self.eventually { try await replicas() == 1 })
                group.cancelAll()
            }
            #expect(try await replicas() == 0, "whoever ends says so")
        }
    }

    @Test("who does not answer is waited for until its lease is over, and no longer")
    func silent() async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance()
            try await tree.database.execute(
                """
                insert into replica (id, lease_until, seen)
                values (\(UUID()), clock_timestamp() + interval '1.5 seconds', 0)
                """)
            let begun = ContinuousClock.now
            try await tree.revocation.revoke(.token(token.row.family), by: .server)
            let took = ContinuousClock.now - begun
            #expect(took >= .seconds(1.4) && took < .seconds(20))
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
