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

    private func isReuse(_ rotation: RefreshFamily.Rotation) -> Bool { if case .reused = rotation { true } else { false } }

    private func see(_ issued: IssuedToken, _ tree: TestTree) async throws {
        try await tree.store.note(seen: try #require(try await tree.store.find(issued.row.id)))
    }

    @Test("with its key it gives the same pair, however late, as long as nobody has shown it", arguments: [11, 3_599.0])
    func late(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()), first = try pair(try await tree.rotate(pat.refreshToken))

            tree.time.advance(seconds)
            let again = try pair(try await tree.rotate(pat.refreshToken))

            #expect(again.row.id == first.row.id && again.refreshToken == first.refreshToken)
            #expect(first.expiresIn == 3_600 && again.expiresIn == 3_600 - Int(seconds))
        }
    }

    @Test("an access token that has ended meanwhile is made anew beside the same refresh token", arguments: [3_600, 40 * 86_400.0])
    func renewed(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()), first = try pair(try await tree.rotate(pat.refreshToken))

            tree.time.advance(seconds)
            let again = try pair(try await tree.rotate(pat.refreshToken)), twice = try pair(try await tree.rotate(pat.refreshToken))

            #expect(again.row.id != first.row.id && again.refreshToken == first.refreshToken && again.expiresIn == 3_600)
            #expect(twice.row.id == again.row.id && twice.refreshToken == again.refreshToken)
            #expect(try await tree.isLive(again))
            _ = try pair(try await tree.rotate(again.refreshToken))
        }
    }

    @Test("once the new pair was seen the one before is reuse, be it the access token that was shown or the refresh token; ten seconds are spared")
    func seen() async throws {
        try await TestTree.with { tree in
            for shown in ["access", "refresh", "found"] {
                let pat = try await tree.child(of: tree.instance(shown), refresh: .init()), first = try pair(try await tree.rotate(pat.refreshToken))
                switch shown {
                case "access": try await see(first, tree)
                case "found": try await tree.store.note(seen: try #require(try await RefreshFamily(store: tree.store).find(first.refreshToken ?? "")))
                default: _ = try pair(try await tree.rotate(first.refreshToken))
                }

                if shown != "refresh" { #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == first.row.id) }
                tree.time.advance(10.1)

                #expect(isReuse(try await tree.rotate(pat.refreshToken)), "\(shown)")
            }
        }
    }

    @Test("the token from before the rotation, and a row that another process sees, say nothing of the new pair's arrival")
    func notSeen() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()), first = try pair(try await tree.rotate(pat.refreshToken))

            try await see(pat, tree)
            tree.time.advance(60)
            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == first.row.id)

            let second = try pair(try await tree.rotate(first.refreshToken))
            try await see(first, tree)
            tree.time.advance(60)
            #expect(try pair(try await tree.rotate(first.refreshToken)).row.id == second.row.id)
        }
    }

    @Test("without a key: good until the answer was sent, and ten seconds on; a later answer to the same does not begin anew")
    func unproven() async throws {
        try await TestTree.with { tree in
            let families = RefreshFamily(store: tree.store)
            let app = try await tree.child(of: tree.instance(), .appToken, refresh: .init(), jkt: nil)
            let first = try pair(try await tree.rotate(app.refreshToken, jkt: nil))

            tree.time.advance(600)
            let late = try pair(try await tree.rotate(app.refreshToken, jkt: nil))
            try await families.note(answered: late)
            tree.time.advance(9)
            let again = try pair(try await tree.rotate(app.refreshToken, jkt: nil))
            try await families.note(answered: again)
            tree.time.advance(2)

            #expect(late.row.id == first.row.id && again.row.id == first.row.id)
            #expect(isReuse(try await tree.rotate(app.refreshToken, jkt: nil)))
        }
    }

    @Test("without a key: what was seen, or rotated by a version that notes nothing, has its ten seconds and no more")
    func unprovenSeen() async throws {
        try await TestTree.with { tree in
            for isOld in [true, false] {
                let app = try await tree.child(of: tree.instance("\(isOld)"), .appToken, refresh: .init(), jkt: nil)
                let first = try pair(try await tree.rotate(app.refreshToken, jkt: nil))
                if isOld {
                    _ = try await tree.database.execute("update family set unseen = id where id = \(app.row.family)")
                } else {
                    try await see(first, tree)
                }

                tree.time.advance(10)
                #expect(try pair(try await tree.rotate(app.refreshToken, jkt: nil)).row.id == first.row.id)
                tree.time.advance(0.1)
                #expect(isReuse(try await tree.rotate(app.refreshToken, jkt: nil)))
            }
        }
    }

    @Test("a retry gets the scope of the first answer and no other, within the ten seconds and after, whether its token lives or not", arguments: [0, 60, 4_000.0])
    func scope(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let instance = try await tree.instance()
            for (first, others) in [("a", [nil, "b", "a b"]), (nil, ["a", "b"])] as [(String?, [String?])] {
                let pat = try await tree.child(of: instance, refresh: .init(), scope: "a b")
                let issued = try pair(try await tree.rotate(pat.refreshToken, scope: first))

                tree.time.advance(seconds)
                for other in others {
                    guard case .otherScope(let granted) = try await tree.rotate(pat.refreshToken, scope: other) else {
                        Issue.record("\(other ?? "all") in place of \(first ?? "all")")
                        continue
                    }
                    #expect(granted == first ?? "a b")
                }
                let again = try pair(try await tree.rotate(pat.refreshToken, scope: first == nil ? "b a" : first))
                #expect(again.refreshToken == issued.refreshToken && again.row.body.scope.map { Set($0.split(separator: " ")) } == issued.row.body.scope.map { Set($0.split(separator: " ")) })
            }
        }
    }

    @Test("a cut family, an idle one, another key: refused, and nothing is made")
    func dead() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init(idle: 100)), first = try pair(try await tree.rotate(pat.refreshToken))

            tree.time.advance(60)
            guard case .refused = try await tree.rotate(pat.refreshToken, jkt: "another") else { throw Unexpected(came: "another key") }
            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == first.row.id)
            tree.time.advance(40)
            guard case .refused = try await tree.rotate(pat.refreshToken) else { throw Unexpected(came: "idle") }

            let cut = try await tree.child(of: tree.instance(), refresh: .init())
            _ = try pair(try await tree.rotate(cut.refreshToken))
            try await tree.revocation.cut(.token(cut.row.family), by: .server)
            tree.time.advance(4_000)
            guard case .refused = try await tree.rotate(cut.refreshToken) else { throw Unexpected(came: "cut") }
            #expect(try await tree.database.value("select count(*) from token where family = \(cut.row.family)") == 2)
        }
    }

    @Test("50 that come for a lost answer at once, long after, get one pair: 40 rounds")
    func race() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            var text = pat.refreshToken
            for round in 0..<40 {
                let shown = text
                _ = try await tree.rotate(shown)
                tree.time.advance(3_601)

                let came = try await crowd(50) { _ in try pair(try await tree.rotate(shown)) }

                #expect(Set(came.map(\.row.id)).count == 1 && Set(came.map(\.refreshToken)).count == 1, "round \(round)")
                text = came[0].refreshToken
            }
            #expect(try await tree.database.value("select count(*) from token where family = \(pat.row.family)") == 81)
        }
    }

    @Test("seeing is written once for each token, and not at every use")
    func writes() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()), first = try pair(try await tree.rotate(pat.refreshToken))
            func version() async throws -> String { try await tree.database.value("select xmin || ' ' || ctid from family where id = \(pat.row.family)") }

            let before = try await version()
            try await see(first, tree)
            let after = try await version()
            for _ in 0..<3 { try await see(first, tree) }
            try await see(pat, tree)

            #expect(before != after)
            #expect(try await version() == after)
        }
    }
}
