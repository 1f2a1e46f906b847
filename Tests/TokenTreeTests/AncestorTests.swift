import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md rule 2: virtual ancestors")
struct AncestorTests {
    private static let ancestors: [Ancestor] = [
        .epoch, Ancestor(.version, "app.1"), Ancestor(.instance, "phone"), Ancestor(.key, "key of phone"),
    ]

    @Test("revoking any ancestor ends what hangs below; what is issued later lives", arguments: ancestors)
    func generations(_ ancestor: Ancestor) async throws {
        try await TestTree.with { tree in
            let before = try await tree.child(of: tree.instance())

            let revoked = try await tree.revocation.revoke(.virtual(ancestor), by: .server)
            let after = try await tree.child(of: tree.instance())

            #expect(!revoked.already)
            #expect(try await !tree.isLive(before))
            #expect(try await tree.isLive(after))
        }
    }

    @Test("revoking twice says already, and when; one revocation and one audit row remain")
    func twice() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance()), first = tree.time.now
            let nodes: [Node] = [.virtual(Ancestor(.instance, "phone")), .token(pat.row.family)]

            for node in nodes { #expect(try await !tree.revocation.revoke(node, by: .server).already) }
            tree.time.advance(60)
            for node in nodes {
                let again = try await tree.revocation.revoke(node, by: .server)
                #expect(again.already && again.revokedAt == first && again.services.isEmpty)
            }

            #expect(try await tree.database.value("select count(*) from revocation") == 2)
            #expect(try await tree.database.value("select count(*) from audit where action = 'revoke'") == 2)
        }
    }

    @Test("an ancestor under which nothing was ever issued: not already, no row")
    func nothing() async throws {
        try await TestTree.with { tree in
            let revoked = try await tree.revocation.revoke(.virtual(Ancestor(.bundle, "org.example.none")), by: .server)

            #expect(!revoked.already && revoked.revokedAt == nil)
            #expect(try await tree.database.value("select count(*) from revocation") == 0)
        }
    }

    @Test("generations opened at once by many are one")
    func opening() async throws {
        try await TestTree.with { tree in
            let opened = try await crowd(50) { _ in try await tree.store.generations(of: AncestorTests.ancestors) }

            #expect(Set(opened).count == 1)
            #expect(try await tree.database.value("select count(*) from ancestor") == 4)
        }
    }

    @Test("moving a subtree: refusing the old version leaves it alone, refusing the new one ends it")
    func move() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), other = try await tree.instance("other")
            let pat = try await tree.child(of: instance, refresh: .init(), reaches: "learn")
            let (old, anchor) = (instance.row.lineage[1], instance.row.body.anchor)

            let new = try await tree.store.generations(of: [Ancestor(.version, "app.2")])[0]
            let concerned = try await tree.database.transaction {
                try await tree.revocation.move(anchor: anchor, from: old, to: new, in: $0)
            }

            #expect(concerned == ["learn"])
            #expect(try await tree.store.find(pat.row.id)?.lineage[1] == new)
            try await tree.revocation.revoke(.virtual(Ancestor(.version, "app.1")), by: .server)
            #expect(try await tree.isLive(pat))
            #expect(try await !tree.isLive(other))
            guard case .child(let rotated) = try await tree.rotate(pat.refreshToken) else {
                return #expect(Bool(false), "the moved family can be refreshed")
            }
            let revoked = try await tree.revocation.revoke(.virtual(Ancestor(.version, "app.2")), by: .server)
            #expect(revoked.services == ["learn"])
            for token in [instance, pat, rotated] { #expect(try await !tree.isLive(token)) }
        }
    }

    @Test("what waits for a move and is minted after it ends with the new version")
    func mintDuringMove() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(),
                (old, anchor) = (instance.row.lineage[1], instance.row.body.anchor)
            let new = try await tree.store.generations(of: [Ancestor(.version, "app.2")])[0]

            let minted = try await tree.database.transaction { transaction in
                try await tree.revocation.move(anchor: anchor, from: old, to: new, in: transaction)
                let minting = Task { try await tree.child(of: instance) }
                try await untilSomebodyWaits(for: anchor, tree)
                return minting
            }
            let token = try await minted.value
            try await tree.revocation.revoke(.virtual(Ancestor(.version, "app.2")), by: .server)

            #expect(token.row.lineage[1] == new)
            #expect(try await !tree.isLive(token))
        }
    }

    private func untilSomebodyWaits(for node: NodeID, _ tree: TestTree) async throws {
        for _ in 0..<6_000 {
            let waiting: Int = try await tree.database.value(
                """
                select count(*) from pg_locks where locktype = 'advisory' and not granted
                    and (classid::bigint << 32 | objid::bigint) = \(node.lockNumber)
                """)
            if waiting > 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody waited for the lock of \(node)")
    }
}
