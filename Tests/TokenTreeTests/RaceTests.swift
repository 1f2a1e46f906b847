import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md rule 3: minting cannot race revoking")
struct RaceTests {
    private static let rounds = 200, crowdSize = 50

    /// Half mint alone, half in a transaction that does something else first, as issuing an assertion does.
    private func mint(_ number: Int, below pat: IssuedToken, _ tree: TestTree) async throws -> IssuedToken? {
        do {
            guard number % 2 == 0 else {
                return try await tree.child(of: pat, .assertion, reaches: "service \(number)")
            }
            return try await tree.database.atomically { transaction in
                _ = try await tree.store.generations(of: [Ancestor(.service, "service \(number)")], in: transaction)
                return try await tree.child(of: pat, .assertion, reaches: "service \(number)", in: transaction)
            }
        } catch is AncestorRevoked {
            return nil
        }
    }

    @Test(
        """
        after a revocation no token below lives, and every service that an issued one reached was told: 50 minters, \
        200 rounds
        """
    )
    func minters() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance()
            var (issued, refused) = (0, 0)
            for round in 0..<RaceTests.rounds {
                let pat = try await tree.child(of: instance)
                let node: Node = .token(pat.row.family)

                async let minted = crowd(RaceTests.crowdSize) { try await mint($0, below: pat, tree) }
                for _ in 0..<(round % 7) { await Task.yield() }
                let revoked = try await tree.revocation.revoke(node, by: .server)
                let alive: Int = try await tree.database.value(
                    """
                    select count(*) from token t
                    where t.parent = \(pat.row.id) and not exists (select from revocation r
                        where r.node = any (t.lineage))
                    """)
                let tokens = try await minted

                #expect(alive == 0, "round \(round)")
                let told = Set(tree.announced.services(of: pat.row.family))
                #expect(told == Set(revoked.services))
                let reached = Set(tokens.enumerated().compactMap { $0.element == nil ? nil : "service \($0.offset)" })
                #expect(reached == told, "round \(round)")
                (issued, refused) = (issued + reached.count, refused + tokens.count - reached.count)
            }
            let live: Int = try await tree.database.value(
                """
                select count(*) from token t where t.kind = 'assertion' and not exists (select from revocation r
                    where r.node = any (t.lineage))
                """)

            print("minting against revoking: \(issued) issued before, \(refused) refused after")
            #expect(live == 0)
            #expect(issued > 0 && refused > 0)
        }
    }

    @Test("of many that revocation one node at once, one does it and the others say already", arguments: [true, false])
    func revokers(isVirtual: Bool) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), reaches: "learn")
            let node: Node = isVirtual ? .virtual(Ancestor(.instance, "phone")) : .token(pat.row.family)

            let revocations = try await crowd(20) { _ in try await tree.revocation.revoke(node, by: .server) }

            #expect(revocations.count { !$0.already } == 1)
            #expect(revocations.filter { !$0.already }.first?.services == ["learn"])
            #expect(try await tree.database.value("select count(*) from audit where action = 'revoke'") == 1)
        }
    }
}
