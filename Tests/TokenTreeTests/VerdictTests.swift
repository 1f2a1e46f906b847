import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("token-tree.md, explaining: why a token does not live")
struct VerdictTests {
    private func verdict(_ token: IssuedToken, _ tree: TestTree) async throws -> Verdict {
        let row = try #require(try await tree.store.find(token.row.id))
        return try await Verdict(of: row, at: tree.time.now, in: tree.database)
    }

    @Test("live, then expired")
    func time() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), lifetime: 60)

            let before = try await verdict(pat, tree)
            tree.time.advance(60)
            let after = try await verdict(pat, tree)

            #expect(before.rule == .live && before.isLive && before.cause == nil)
            #expect(after.rule == .expired && !after.isLive && after.cause == nil)
            #expect(
                after.json["rule"] == "expired" && after.json["live"] == false
                    && after.json["node"] == .string("token:\(pat.row.id)"))
        }
    }

    @Test("of several revocations the highest is the cause: who, when and why")
    func highest() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance())

            try await tree.revocation.revoke(.token(pat.row.family), by: AuditActor(name: "admin:low"))
            tree.time.advance(5)
            try await tree.revocation.revoke(
                .virtual(Ancestor(.version, "app.1")), by: AuditActor(name: "admin:high", reason: "stolen keys"))
            try await tree.revocation.revoke(
                .virtual(Ancestor(.key, "key of phone")), by: AuditActor(name: "admin:middle"))
            let verdict = try await verdict(pat, tree)

            #expect(verdict.rule == .revoked)
            let cause = try #require(verdict.cause)
            #expect(
                cause.node == "version:app.1" && cause.by == "admin:high" && cause.reason == "stolen keys"
                    && cause.at == tree.time.now)
        }
    }

    @Test("revoked outlasts expired")
    func revokedThenExpired() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), lifetime: 60)
            try await tree.revocation.revoke(.token(pat.row.family), by: .server)
            tree.time.advance(3_600)

            #expect(try await verdict(pat, tree).rule == .revoked)
        }
    }

    @Test("rule 9: a revocation of the epoch ends everything, refresh tokens too, and the verdict says epoch")
    func epoch() async throws {
        try await TestTree.with { tree in
            let first = try await tree.child(of: tree.instance("one"), refresh: .init()),
                second = try await tree.child(of: tree.instance("two"))

            try await tree.revocation.revoke(
                .virtual(.epoch), by: AuditActor(name: "admin:root", reason: "restored a backup"))

            for token in [first, second] {
                let verdict = try await verdict(token, tree)
                #expect(verdict.rule == .epoch && verdict.cause?.node == "epoch:1")
            }
            guard case .refused = try await tree.rotate(first.refreshToken) else {
                return #expect(Bool(false), "the refresh token outlived its epoch")
            }
            #expect(try await tree.isLive(tree.instance("one")))
        }
    }

    @Test("a code that was used says used")
    func used() async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance(), secret = [UInt8](repeating: 3, count: 32)
            let body = TokenBody(
                realm: "idp", kind: .code, parent: instance.row.family, anchor: instance.row.body.anchor)
            let code = try await tree.store.issue(
                TokenDraft(body, inherited: instance.row.lineage, lifetime: 60, secret: secret))

            _ = try await tree.store.use(code.row.id, secret: secret, in: tree.database)

            #expect(try await verdict(code, tree).rule == .used)
        }
    }
}
