import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// Issue 22, "Met when it was run", 1: commits that had been answered are lost.
@Suite("A refresh token ahead of its row proves that the database went back")
struct SetbackTests {
    private struct Unexpected: Error { let came: String }

    private func pair(_ rotation: RefreshFamily.Rotation) throws -> IssuedToken {
        guard case .child(let issued) = rotation else { throw Unexpected(came: "\(rotation)") }
        return issued
    }

    /// As a standby has it that lacks the last `steps` commits of this family.
    private func lose(_ steps: Int32, of token: IssuedToken, _ tree: TestTree) async throws {
        try await tree.database.execute(
            "update family set sequence = sequence - \(steps) where id = \(token.row.family)")
    }

    @Test("the row catches up, the family goes on, and it is written down once", arguments: [1, 3] as [Int32])
    func caughtUp(steps: Int32) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            var newest = pat
            for _ in 0..<4 {
                tree.time.advance(60)
                newest = try pair(try await tree.rotate(newest.refreshToken))
            }
            try await lose(steps, of: pat, tree)
            tree.time.advance(60)

            let next = try pair(try await tree.rotate(newest.refreshToken))
            let setback = try #require(try await Setback.standing(in: tree.database))

            #expect(RefreshToken(try #require(next.refreshToken), key: tree.store.refreshKey)?.sequence == 5)
            #expect(setback.families == 1 && setback.ahead == Int(steps) && setback.firstAt == setback.lastAt)
            for token in [next, newest] { #expect(try await tree.isLive(token)) }
            tree.time.advance(60)
            _ = try pair(try await tree.rotate(next.refreshToken))
            #expect(try await Setback.standing(in: tree.database) == setback)
        }
    }

    @Test("after it caught up, what is older is reuse and ends the family")
    func reused() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let first = try pair(try await tree.rotate(pat.refreshToken))
            let second = try pair(try await tree.rotate(first.refreshToken))
            try await lose(2, of: pat, tree)
            _ = try pair(try await tree.rotate(second.refreshToken))
            tree.time.advance(60)

            guard case .reused(let family) = try await tree.rotate(first.refreshToken) else {
                Issue.record("an old token was taken")
                return
            }
            #expect(family == pat.row.family)
        }
    }

    @Test("several at once get one pair, and prove it once")
    func together() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let newest = try pair(try await tree.rotate(pat.refreshToken))
            try await lose(1, of: pat, tree)

            let texts = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask { try pair(try await tree.rotate(newest.refreshToken)).refreshToken }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }

            #expect(texts.count == 1 && texts.first != newest.refreshToken)
            #expect(try await Setback.standing(in: tree.database)?.families == 1)
        }
    }

    @Test("another key or a dead family proves nothing and changes nothing", arguments: ["key", "revoked"])
    func refused(_ how: String) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let newest = try pair(try await tree.rotate(pat.refreshToken))
            try await lose(1, of: pat, tree)
            if how == "revoked" { try await tree.revocation.revoke(.token(pat.row.family), by: .server) }

            guard case .refused = try await tree.rotate(newest.refreshToken, jkt: how == "key" ? "other" : "jkt") else {
                Issue.record("it was not refused")
                return
            }
            #expect(try await Setback.standing(in: tree.database) == nil)
            let sequence: Int32? = try await tree.database.query(
                "select sequence from family where id = \(pat.row.family)"
            ).first.map { try $0("sequence") }
            #expect(sequence == 0)
        }
    }

    @Test("each family counts; the farthest is kept; a bump of the epoch settles it")
    func counted() async throws {
        try await TestTree.with { tree in
            for steps in [1, 2, 1] as [Int32] {
                let pat = try await tree.child(of: tree.instance("phone \(UUID())"), refresh: .init())
                var newest = pat
                for _ in 0..<2 { newest = try pair(try await tree.rotate(newest.refreshToken)) }
                try await lose(steps, of: pat, tree)
                tree.time.advance(1)
                _ = try pair(try await tree.rotate(newest.refreshToken))
            }
            let setback = try #require(try await Setback.standing(in: tree.database))
            #expect(setback.families == 3 && setback.ahead == 2 && setback.firstAt < setback.lastAt)

            let epoch = try await tree.database.transaction {
                try await Epoch.bump(by: .server, revocation: tree.revocation, at: tree.time.now, in: $0)
            }

            #expect(try await Setback.standing(in: tree.database) == nil)
            #expect(try await Epoch.number(in: tree.database) == epoch)
        }
    }
}
