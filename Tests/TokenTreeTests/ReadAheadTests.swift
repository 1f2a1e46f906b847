import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("Rows of tokens that a standby has")
struct ReadAheadTests {
    /// A process that issues and revokes, and one that answers from memory with a standby to read at, which says that
    /// it is young whatever it lacks.
    private static func withStandby(
        _ body: @escaping @Sendable (_ one: TestTree, _ two: TestTree, LaggingStandby) async throws -> Void
    ) async throws {
        try await TestTree.with { one in
            try await LaggingStandby.of(one.database) { standby in
                let replica = standby.replica(), two = one.another(replica: replica) { _, _ in nil }
                try await withThrowingTaskGroup { group in
                    group.addTask { await two.store.leases.run(on: two.database) }
                    group.addTask { await replica.run() }
                    group.addTask { await standby.keepsSayingThatItIsYoung() }
                    try await body(one, two, standby)
                    group.cancelAll()
                }
            }
        }
    }

    private static func recall(_ tree: TestTree, _ id: NodeID) -> TokenRow? {
        tree.store.leases.known.flatMap { tree.store.leases.recall(id, while: "client:test", since: $0) }?.row
    }

    private static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1_500 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// Asks until the standby is known to be young and a lease is there.
    private static func readAhead(_ tree: TestTree, _ id: NodeID) async throws -> TokenRow? {
        var row: TokenRow?
        _ = try await eventually {
            _ = try await tree.store.readAhead(id)
            row = recall(tree, id)
            return row != nil
        }
        return row
    }

    @Test("one that memory lacks comes from there, and is given under the lease")
    func found() async throws {
        try await Self.withStandby { one, two, standby in
            let token = try await one.instance()
            try await standby.replay()
            // Where the primary has it no more, nobody else can have told.
            _ = try await one.database.execute("delete from token where id = \(token.row.id)")

            let row = try #require(try await Self.readAhead(two, token.row.id))

            #expect(row.lineage == token.row.lineage && row.isLive(at: one.time.now))
            #expect(try await one.store.find(token.row.id) == nil)
        }
    }

    @Test("what was revoked since the standby was last heard of is alive for nobody, however young it says it is")
    func revoked() async throws {
        try await Self.withStandby { one, two, standby in
            let first = try await one.instance()
            try await standby.replay()
            _ = try #require(try await Self.readAhead(two, first.row.id))
            for round in 0..<20 {
                let token = try await one.instance("phone \(round)")
                try await standby.replay(["token"])

                try await one.revocation.revoke(.virtual(Ancestor(.instance, "phone \(round)")), by: .server)
                for _ in 0..<3 {
                    _ = try await two.store.readAhead(token.row.id)
                    #expect(Self.recall(two, token.row.id)?.isRevoked != false)
                }
                #expect(try await !two.isLive(token))
            }
        }
    }

    @Test("one that has moved since is read anew, at the primary")
    func moved() async throws {
        try await Self.withStandby { one, two, standby in
            let token = try await one.instance()
            try await standby.replay()
            _ = try #require(try await Self.readAhead(two, token.row.id))
            let fresh = try await one.store.generations(of: [Ancestor(.version, "app.2")])[0]
            let anchor = token.row.body.anchor, old = token.row.lineage[1]
            try await one.database.atomically { transaction in
                _ = try await one.revocation.move(anchor: anchor, from: old, to: fresh, in: transaction)
            }

            _ = try await two.store.readAhead(token.row.id)

            #expect(Self.recall(two, token.row.id) == nil)
            #expect(try await two.store.find(token.row.id)?.lineage[1] == fresh)
        }
    }

    @Test("a standby from before this process follows changes tells nothing")
    func tooOld() async throws {
        try await Self.withStandby { one, two, standby in
            let token = try await one.instance(), other = try await one.instance("other")
            try await standby.replay()
            try await one.revocation.revoke(.token(other.row.family), by: .server)
            // It follows from here on, and so has not heard of the revocation before.
            #expect(try await Self.eventually { two.store.leases.known != nil })

            for _ in 0..<20 {
                _ = try await two.store.readAhead(token.row.id)
                _ = try await two.store.readAhead(other.row.id)
                try await Task.sleep(for: .milliseconds(20))
            }

            #expect(Self.recall(two, token.row.id) == nil && Self.recall(two, other.row.id) == nil)
            #expect(try await two.isLive(token))
            #expect(try await !two.isLive(other))
        }
    }

    @Test("a standby that still follows the history of before another primary was promoted tells nothing")
    func promoted() async throws {
        try await TestTree.with { one in
            try await LaggingStandby.of(one.database) { standby in
                let replica = standby.replica(mostLag: .seconds(60))
                let two = one.another(replica: replica) { _, _ in nil }
                try await withThrowingTaskGroup { group in
                    group.addTask { await two.store.leases.run(on: two.database) }
                    group.addTask { await replica.run() }
                    let token = try await one.instance()
                    try await standby.replay()
                    // It is young, and will pass for it throughout.
                    #expect(
                        try await Self.eventually {
                            _ = try await two.store.readAhead(token.row.id)
                            try await standby.replay(["replica_beat"])
                            return replica.age != nil && two.store.leases.known != nil
                        })
                    let before = two.store.leases.known
                    // What the other history has more of has numbers of its own there.
                    _ = try await standby.database.execute(
                        "insert into change (number, name) overriding system value values (1000000, 'client:old')")
                    try await one.revocation.revoke(.virtual(Ancestor(.instance, "phone")), by: .server)
                    _ = try await one.database.execute(
                        """
                        create or replace function change_history() returns text language sql as $$ select 'new' $$
                        """)
                    #expect(
                        try await Self.eventually {
                            let known = two.store.leases.known
                            return known != nil && known?.begunAt != before?.begunAt && two.store.leases.age != nil
                        })

                    for _ in 0..<20 {
                        #expect(try await !two.store.readAhead(token.row.id))
                        #expect(Self.recall(two, token.row.id) == nil)
                    }
                    #expect(try await !two.isLive(token))
                    group.cancelAll()
                }
            }
        }
    }

    @Test("what works once, what is not there yet and what never was is asked at the primary")
    func passed() async throws {
        try await Self.withStandby { one, two, standby in
            let parent = try await one.instance()
            let once = try await one.child(of: parent, .assertion)
            try await standby.replay()
            _ = try #require(try await Self.readAhead(two, parent.row.id))
            let young = try await one.child(of: parent)

            for id in [once.row.id, young.row.id, NodeID(digestOf: "nothing")] {
                #expect(try await !two.store.readAhead(id))
                #expect(Self.recall(two, id) == nil)
            }
            #expect(try await two.isLive(young))
        }
    }

    @Test("without a standby nothing is read ahead")
    func none() async throws {
        try await TestTree.with { tree in
            let token = try await tree.instance()

            #expect(try await !tree.store.readAhead(token.row.id))
        }
    }
}
