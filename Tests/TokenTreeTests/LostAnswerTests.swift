import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

/// Issue 15, point 16: what becomes of a refresh token whose answer was lost, in an outage or on the way.
@Suite("token-tree.md rule 4: an answer that was lost")
struct LostAnswerTests {
    private func pair(_ rotation: RefreshFamily.Rotation) throws -> IssuedToken {
        guard case .child(let issued) = rotation else { throw Unexpected(came: "\(rotation)") }
        return issued
    }

    private struct Unexpected: Error { let came: String }

    private func isReuse(_ rotation: RefreshFamily.Rotation) -> Bool {
        if case .reused = rotation { true } else { false }
    }

    /// A rotation whose answer never went out: the server ended behind the commit.
    private func lose(_ text: String?, _ tree: TestTree) async throws -> IssuedToken {
        try pair(try await tree.rotate(text, isAnswered: false))
    }

    @Test("what was never sent is asked for again however late", arguments: [11, 3_599.0])
    func late(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try await lose(pat.refreshToken, tree)

            tree.time.advance(seconds)
            let again = try pair(try await tree.rotate(pat.refreshToken))

            #expect(again.row.id == first.row.id && again.refreshToken == first.refreshToken)
            #expect(first.expiresIn == 3_600 && again.expiresIn == 3_600 - Int(seconds))
        }
    }

    @Test(
        "an access token that has ended meanwhile is made anew beside the same refresh token",
        arguments: [3_600, 40 * 86_400.0])
    func renewed(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try await lose(pat.refreshToken, tree)

            tree.time.advance(seconds)
            let again = try pair(try await tree.rotate(pat.refreshToken)),
                twice = try pair(try await tree.rotate(pat.refreshToken))

            #expect(
                again.row.id != first.row.id && again.refreshToken == first.refreshToken && again.expiresIn == 3_600)
            #expect(twice.row.id == again.row.id && twice.refreshToken == again.refreshToken)
            #expect(try await tree.isLive(again))
            _ = try pair(try await tree.rotate(again.refreshToken))
        }
    }

    @Test(
        "the same pair until ten seconds after it was sent; a later answer to the same does not begin anew",
        arguments: ["jkt", nil])
    func sent(_ jkt: String?) async throws {
        try await TestTree.with { tree in
            let token = try await tree.child(of: tree.instance(), .appToken, refresh: .init(), jkt: jkt)
            let first = try pair(try await tree.rotate(token.refreshToken, jkt: jkt, isAnswered: false))

            tree.time.advance(600)
            let late = try pair(try await tree.rotate(token.refreshToken, jkt: jkt))
            tree.time.advance(10)
            let again = try pair(try await tree.rotate(token.refreshToken, jkt: jkt))
            tree.time.advance(0.1)

            #expect(late.row.id == first.row.id && again.row.id == first.row.id)
            #expect(isReuse(try await tree.rotate(token.refreshToken, jkt: jkt)))
        }
    }

    @Test("what a version rotated that notes nothing has ten seconds from the rotation")
    func unnoted() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try await lose(pat.refreshToken, tree)
            _ = try await tree.database.execute("update family set answered_at = null where id = \(pat.row.family)")

            tree.time.advance(10)
            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == first.row.id)
            tree.time.advance(0.1)
            #expect(isReuse(try await tree.rotate(pat.refreshToken)))
        }
    }

    @Test("an answer that was noted for one rotation says nothing of the next")
    func nextRotation() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try pair(try await tree.rotate(pat.refreshToken))
            let second = try await lose(first.refreshToken, tree)

            try await tree.send(first)
            tree.time.advance(60)

            #expect(try pair(try await tree.rotate(first.refreshToken)).row.id == second.row.id)
        }
    }

    @Test(
        """
        a retry gets the scope of the first answer and no other, within the ten seconds and after, whether its token \
        lives or not
        """,
        arguments: [0, 60, 4_000.0])
    func scope(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance()
            for (first, others) in [("a", [nil, "b", "a b"]), (nil, ["a", "b"])] as [(String?, [String?])] {
                let pat = try await tree.child(of: instance, refresh: .init(), scope: "a b")
                let issued = try pair(try await tree.rotate(pat.refreshToken, scope: first, isAnswered: false))

                tree.time.advance(seconds)
                for other in others {
                    guard case .otherScope(let granted) = try await tree.rotate(pat.refreshToken, scope: other) else {
                        Issue.record("\(other ?? "all") in place of \(first ?? "all")")
                        continue
                    }
                    #expect(granted == first ?? "a b")
                }
                let again = try pair(try await tree.rotate(pat.refreshToken, scope: first == nil ? "b a" : first))
                #expect(
                    again.refreshToken == issued.refreshToken
                        && again.row.body.scope.map { Set($0.split(separator: " ")) }
                            == issued.row.body.scope.map { Set($0.split(separator: " ")) }
                )
            }
        }
    }

    @Test("a revoked family, an idle one, another key: refused, and nothing is made")
    func dead() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init(idle: 100)),
                first = try await lose(pat.refreshToken, tree)

            tree.time.advance(60)
            guard case .refused = try await tree.rotate(pat.refreshToken, jkt: "another") else {
                throw Unexpected(came: "another key")
            }
            #expect(try await lose(pat.refreshToken, tree).row.id == first.row.id)
            tree.time.advance(40)
            guard case .refused = try await tree.rotate(pat.refreshToken) else { throw Unexpected(came: "idle") }

            let revoked = try await tree.child(of: tree.instance(), refresh: .init())
            _ = try pair(try await tree.rotate(revoked.refreshToken))
            try await tree.revocation.revoke(.token(revoked.row.family), by: .server)
            tree.time.advance(4_000)
            guard case .refused = try await tree.rotate(revoked.refreshToken) else { throw Unexpected(came: "revoked") }
            #expect(
                try await tree.database.value("select count(*) from token where family = \(revoked.row.family)") == 2)
        }
    }

    @Test("50 that come for a lost answer at once, long after, get one pair: 40 rounds")
    func race() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            var text = pat.refreshToken
            for round in 0..<40 {
                let shown = text
                _ = try await lose(shown, tree)
                tree.time.advance(3_601)

                let came = try await crowd(50) { _ in try pair(try await tree.rotate(shown)) }

                #expect(
                    Set(came.map(\.row.id)).count == 1 && Set(came.map(\.refreshToken)).count == 1, "round \(round)")
                text = came[0].refreshToken
            }
            #expect(try await tree.database.value("select count(*) from token where family = \(pat.row.family)") == 81)
        }
    }

    @Test("an answer that is sent again was sent when it was first")
    func writes() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try await lose(pat.refreshToken, tree)
            /// Microseconds after now.
            func sent() async throws -> Int {
                try await tree.database.value(
                    """
                    select round(extract(epoch from answered_at - \(tree.time.now)) * 1000000)::bigint from family
                    where id = \(pat.row.family) and answered_at < 'infinity'
                    """)
            }

            try await tree.send(first)
            let before = try await sent()
            tree.time.advance(1)
            for _ in 0..<3 { _ = try await tree.rotate(pat.refreshToken) }

            #expect(before == 0)
            #expect(try await sent() == -1_000_000)
        }
    }
}
