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
        tree.store.unsent.add(.init(family: issued.row.family, child: issued.row.id), notedAt: tree.time.now)
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

    /// `make test-faults` found it: two phones that came back at the same moment, of which one was taken for a thief.
    @Test("who asks while another's answer takes the note back has the same pair")
    func meanwhile() async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                first = try await giveUp(pat.refreshToken, tree)
            tree.time.advance(60)

            let asked = try await tree.database.atomically { transaction in
                _ = try await transaction.execute(
                    "update family set answered_at = 'infinity' where id = \(first.row.family)")
                let asked = Task { try await tree.rotate(pat.refreshToken) }
                for _ in 0..<600 {
                    let isWaited: Bool = try await transaction.value(
                        """
                        select exists (select from pg_stat_activity a
                            where pg_backend_pid() = any (pg_blocking_pids(a.pid)))
                        """)
                    if isWaited { break }
                    try await Task.sleep(for: .milliseconds(50))
                }
                return asked
            }

            let again = try pair(try await asked.value)
            #expect(again.row.id == first.row.id && again.refreshToken == first.refreshToken)
        }
    }

    /// A thief of the token before must not have it for as long as the newest is not used.
    @Test(
        "what another process, or another request here, sent meanwhile is not taken back: the token before is reuse",
        arguments: [true, false])
    func sentElsewhere(_ isFirst: Bool) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                other = try await tree.child(of: tree.instance("other"), refresh: .init()),
                sender = tree.another { _, _ in nil }
            let lost: IssuedToken
            if isFirst {
                lost = try await giveUp(pat.refreshToken, tree)
                tree.time.advance(2)
            } else {
                // This process's note found that of the other one.
                lost = try pair(try await sender.rotate(pat.refreshToken))
                tree.time.advance(2)
                _ = try await giveUp(pat.refreshToken, tree)
            }

            let had = try pair(try await sender.rotate(pat.refreshToken))
            tree.time.advance(10.1)
            _ = try pair(try await tree.rotate(other.refreshToken))

            #expect(had.row.id == lost.row.id)
            #expect(isReuse(try await sender.rotate(pat.refreshToken)))
            #expect(isReuse(try await tree.rotate(pat.refreshToken)))
        }
    }

    @Test("of several tries that were given up it does not matter which one took effect", arguments: [0, 1, 2])
    func tries(_ effective: Int) async throws {
        try await TestTree.with { tree in
            let pat = try await tree.child(of: tree.instance(), refresh: .init()),
                issued = try pair(try await tree.rotate(pat.refreshToken, isAnswered: false))
            let answer = RefreshAnswer(family: issued.row.family, child: issued.row.id)
            for number in 0..<3 {
                if number == effective {
                    _ = try await tree.database.execute(
                        "update family set answered_at = \(tree.time.now) where id = \(issued.row.family)")
                }
                tree.store.unsent.add(answer, notedAt: tree.time.now)
                tree.time.advance(15)
            }

            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == issued.row.id)
        }
    }

    @Test("of many the database is told with the answers of several, not with one")
    func many() async throws {
        try await TestTree.with { tree in
            for _ in 0..<200 {
                tree.store.unsent.add(
                    .init(family: NodeID(rawValue: UUID()), child: NodeID(rawValue: UUID())), notedAt: tree.time.now)
            }
            #expect(tree.store.unsent.untold(besides: []).count == 64)

            var token = try await tree.child(of: tree.instance(), refresh: .init())
            for _ in 0..<4 { token = try pair(try await tree.rotate(token.refreshToken)) }

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

            #expect(tree.store.unsent.of(issued.row.family)?.answer.child == issued.row.id)
            #expect(try pair(try await tree.rotate(pat.refreshToken)).row.id == issued.row.id)
            #expect(tree.store.unsent.of(issued.row.family) == nil)
        }
    }
}
