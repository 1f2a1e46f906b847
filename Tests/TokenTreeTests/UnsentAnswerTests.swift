import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// A fault that `make test-faults` found: a process that stood still for ten seconds had noted that an answer was about
/// to be sent, told its phone 503, and took the next try for theft.
@Suite("token-tree.md rule 4: an answer that was noted and not sent")
struct UnsentAnswerTests {
    private struct Unexpected: Error { let came: String }

    private func pair(_ rotation: RefreshFamily.Rotation) throws -> IssuedToken {
        guard case .child(let issued) = rotation else { throw Unexpected(came: "\(rotation)") }
        return issued
    }

    private func isReuse(_ rotation: RefreshFamily.Rotation) -> Bool {
        if case .reused = rotation { true } else { false }
    }

    /// Noted, and then given up: nobody knows that the note took effect, though it did.
    private func giveUp(_ text: String?, _ tree: TestTree) async throws -> IssuedToken {
        let issued = try pair(try await tree.rotate(text))
        tree.store.unsent.add(.init(family: issued.row.family, child: issued.row.id))
        return issued
    }

    @Test("the same pair is had however late, at the process that did not send it", arguments: [0, 11, 3_500.0])
    func here(_ seconds: TimeInterval) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            let first = try await giveUp(pat.refreshToken, tree)

            tree.time.advance(seconds)
            let again = try pair(try await tree.rotate(pat.refreshToken))

            #expect(again.row.id == first.row.id && again.refreshToken == first.refreshToken)
        }
    }

    @Test("once it was sent the last ten seconds count from then, and reuse is reuse")
    func sentAtLast() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init())
            _ = try await giveUp(pat.refreshToken, tree)
            tree.time.advance(600)
            _ = try pair(try await tree.rotate(pat.refreshToken))

            tree.time.advance(10)
            _ = try pair(try await tree.rotate(pat.refreshToken))
            tree.time.advance(0.1)

            #expect(isReuse(try await tree.rotate(pat.refreshToken)))
        }
    }

    @Test("a token that is older is as old as ever, and so is one of a family whose holder went on")
    func older() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try pair(try await tree.rotate(pat.refreshToken))
            _ = try await giveUp(first.refreshToken, tree)
            tree.time.advance(60)
            #expect(isReuse(try await tree.rotate(pat.refreshToken)))

            let other = try await tree.child(of: tree.instance("other"), refresh: .init()),
                second = try await giveUp(other.refreshToken, tree)
            _ = try pair(try await tree.rotate(second.refreshToken, isAnswered: false))
            tree.time.advance(60)
            #expect(isReuse(try await tree.rotate(other.refreshToken)))
        }
    }

    @Test("another process hears of it with the next answer of anybody here")
    func elsewhere() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                other = try await tree.child(of: tree.instance("other"), refresh: .init())
            let first = try await giveUp(pat.refreshToken, tree)
            func noted() async throws -> Bool {
                try await tree.database.value(
                    "select answered_at <> 'infinity' from family where id = \(first.row.family)")
            }

            #expect(try await noted())
            _ = try pair(try await tree.rotate(other.refreshToken))

            #expect(try await !noted())
            #expect(tree.store.unsent.untold(besides: []).isEmpty)
        }
    }

    @Test("what cannot be noted is kept, and no answer goes out")
    func failed() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                issued = try pair(try await tree.rotate(pat.refreshToken, isAnswered: false))
            _ = try await tree.database.execute("alter table family rename answered_at to away")

            await #expect(throws: DatabaseError.self) {
                try await RefreshFamily(store: tree.store).note(answered: issued)
            }
            _ = try await tree.database.execute("alter table family rename away to answered_at")

            #expect(tree.store.unsent.child(of: issued.row.family) == issued.row.id)
            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == issued.row.id)
            #expect(tree.store.unsent.child(of: issued.row.family) == nil)
        }
    }
}
