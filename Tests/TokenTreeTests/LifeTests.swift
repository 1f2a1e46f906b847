import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md rule 1: when a token lives")
struct LifeTests {
    @Test("an issued token is found and lives until it expires, to the second")
    func life() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), lifetime: 3_600)

            let found = try #require(try await tree.store.find(pat.row.id))

            #expect(found.lineage == pat.row.lineage && found.lineage.last == pat.row.id)
            #expect(found.body.client == "phone" && found.body.kind == .personalAccessToken)
            tree.time.advance(3_599)
            #expect(try await tree.isLive(pat))
            tree.time.advance(1)
            #expect(try await !tree.isLive(pat))
        }
    }

    @Test("a revoked token is dead, its sibling and its parent live")
    func revoke() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance()
            let first = try await tree.child(of: instance), second = try await tree.child(of: instance)
            let below = try await tree.child(of: first)

            let revoked = try await tree.revocation.revoke(
                .token(first.row.family), by: AuditActor(name: "admin:test", reason: "stolen"))

            #expect(!revoked.already && revoked.revokedAt == tree.time.now)
            #expect(try await !tree.isLive(first))
            #expect(try await !tree.isLive(below))
            #expect(try await tree.isLive(second))
            #expect(try await tree.isLive(instance))
        }
    }

    @Test("below a revoked node nothing is issued any more")
    func issueBelowRevoked() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance())
            try await tree.revocation.revoke(.token(pat.row.family), by: .server)

            await #expect(throws: AncestorRevoked.self) {
                try await tree.child(of: pat, refresh: .init(), reaches: "learn")
            }

            #expect(try await tree.database.value("select count(*) from token") == 2)
            #expect(try await tree.database.value("select count(*) from family") == 1)
            #expect(try await tree.database.value("select count(*) from reach") == 0)
        }
    }

    @Test(
        "an identifier that nobody issued is found nowhere",
        arguments: [60, 20 * 86_400, 300 * 86_400, 2_000 * 86_400] as [TimeInterval])
    func unknown(_ life: TimeInterval) async throws {
        try await TestTree.with { (tree) async throws in
            let id = NodeID(issuedAt: tree.time.now, keptUntil: tree.time.now + life, randomness: .system)

            #expect(try await tree.store.find(id) == nil)
            #expect(try await tree.store.find(NodeID(endless: .system)) == nil)
        }
    }

    @Test("a one-time token is used once: right secret, not expired, not revoked")
    func oneTimeToken() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), secret = Digest.sha256("secret"), database = tree.database
            func code() async throws -> NodeID {
                let body = TokenBody(
                    realm: "idp", kind: .code, parent: instance.row.family, anchor: instance.row.body.anchor)
                return try await tree.store.issue(
                    TokenDraft(body, inherited: instance.row.lineage, lifetime: 60, secret: secret)
                ).row.id
            }

            let used = try await code(), revoked = try await code(), expired = try await code()
            #expect(try await tree.store.use(used, secret: Digest.sha256("guess"), in: database) == nil)
            #expect(try await tree.store.use(used, secret: secret, in: database)?.id == used)
            #expect(try await tree.store.use(used, secret: secret, in: database) == nil)
            try await tree.revocation.revoke(.token(revoked), by: .server)
            #expect(try await tree.store.use(revoked, secret: secret, in: database) == nil)
            tree.time.advance(60)
            #expect(try await tree.store.use(expired, secret: secret, in: database) == nil)
        }
    }
}
