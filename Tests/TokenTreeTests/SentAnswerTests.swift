import Base
import Database
import Foundation
import TestSupport
import Testing

@testable import TokenTree

/// Faults that `make test-faults` found: a process that stood still, or whose database was silent, had noted an answer
/// before it went out, told its phone 503, and took the next try, there or at another process, for theft.
@Suite("token-tree.md rule 4: an answer is noted once it has left")
struct SentAnswerTests {
    private struct Unexpected: Error { let came: String }
    private struct Gone: Error {}

    private func pair(_ rotation: RefreshFamily.Rotation) throws -> IssuedToken {
        guard case .child(let issued) = rotation else { throw Unexpected(came: "\(rotation)") }
        return issued
    }

    /// A phone's refresh token was used once, and the answer is not sent yet.
    private func rotated(_ tree: TestTree) async throws -> (shown: String?, issued: IssuedToken) {
        let pat = try await tree.child(of: tree.instance(), refresh: .init())
        return (pat.refreshToken, try pair(try await tree.rotate(pat.refreshToken, isAnswered: false)))
    }

    private func isReuse(_ rotation: RefreshFamily.Rotation) -> Bool {
        if case .reused = rotation { true } else { false }
    }

    private func isNoted(_ issued: IssuedToken, _ tree: TestTree) async throws -> Bool {
        try await tree.database.value("select answered_at < 'infinity' from family where id = \(issued.row.family)")
    }

    /// The same pair is had however late, at this process and at another, until it is sent; then for ten seconds.
    private func isUnsent(_ issued: IssuedToken, shown text: String?, _ tree: TestTree) async throws {
        let other = tree.another { _, _ in nil }
        #expect(try await !isNoted(issued, tree))
        tree.time.advance(60)
        for process in [tree, other] {
            let again = try pair(try await process.rotate(text, isAnswered: false))
            #expect(again.row.id == issued.row.id && again.refreshToken == issued.refreshToken)
        }
        _ = try pair(try await other.rotate(text))
        tree.time.advance(10)
        _ = try pair(try await tree.rotate(text))
        tree.time.advance(0.1)
        #expect(isReuse(try await tree.rotate(text)))
    }

    @Test("one whose connection was gone was not sent")
    func gone() async throws {
        try await TestTree.with { tree in
            let (shown, issued) = try await rotated(tree)

            await #expect(throws: Gone.self) { try await tree.send(issued) { throw Gone() } }

            try await isUnsent(issued, shown: shown, tree)
        }
    }

    @Test("nor was one whose sender stood still, nor is it while it does")
    func still() async throws {
        try await TestTree.with { tree in
            let (shown, issued) = try await rotated(tree)

            try await tree.send(issued) {
                try await Task.sleep(for: SentAnswers.patience + .milliseconds(50))
                #expect(tree.store.sent.of(issued.row.family) == nil)
            }

            try await isUnsent(issued, shown: shown, tree)
        }
    }

    @Test("while it leaves, and before its row is told, its process knows: reuse is reuse")
    func untold() async throws {
        try await TestTree.with { tree in
            let (shown, issued) = try await rotated(tree)

            try await tree.send(issued) {
                tree.time.advance(10)
                let again = try pair(try await tree.rotate(shown, isAnswered: false))
                tree.time.advance(0.1)
                let late = try await tree.rotate(shown), isNoted = try await isNoted(issued, tree)
                #expect(again.row.id == issued.row.id && isReuse(late) && !isNoted)
            }

            #expect(try await isNoted(issued, tree))
        }
    }

    @Test("what cannot be noted is noted when the database takes it again, with the time at which it left")
    func away() async throws {
        try await TestTree.with { tree in
            let other = tree.another { _, _ in nil },
                (shown, issued) = try await rotated(tree)
            _ = try await tree.database.execute(
                """
                create function refuse() returns trigger language plpgsql as 'begin raise exception ''away''; end'
                """)
            _ = try await tree.database.execute(
                "create trigger away before update on family for each row execute function refuse()")

            try await tree.send(issued)
            tree.time.advance(10.1)

            #expect(try await !isNoted(issued, tree))
            #expect(isReuse(try await tree.rotate(shown)))
            // Nobody else knows; and of two who go on from the same pair the later is noticed.
            #expect(try pair(try await other.rotate(shown, isAnswered: false)).row.id == issued.row.id)
            _ = try await tree.database.execute("drop trigger away on family")
            await tree.store.settle()
            #expect(try await isNoted(issued, tree))
            #expect(isReuse(try await other.rotate(shown)))
        }
    }

    @Test("of two who ask at once one goes nowhere: it was sent to the other", arguments: [true, false])
    func two(_ isFirst: Bool) async throws {
        try await TestTree.with { tree in
            let issued = try await rotated(tree).issued, sent = tree.store.sent, now = tree.time.now
            let first = sent.begin(issued.row.family, child: issued.row.id, at: now),
                second = sent.begin(issued.row.family, child: issued.row.id, at: now)

            sent.fail(isFirst ? first : second)
            sent.succeed(isFirst ? second : first)
            await tree.store.settle()

            #expect(try await isNoted(issued, tree))
            #expect(sent.of(issued.row.family) == nil)
        }
    }

    @Test("one that is asked for again while the first sender stands still was sent by the second, and then")
    func again() async throws {
        try await TestTree.with { tree in
            let (shown, issued) = try await rotated(tree)

            try await tree.send(issued) {
                try await Task.sleep(for: SentAnswers.patience + .milliseconds(50))
                tree.time.advance(60)
                try await tree.send(issued)
                tree.time.advance(10)
            }

            #expect(try pair(try await tree.rotate(shown)).row.id == issued.row.id)
            tree.time.advance(0.1)
            #expect(isReuse(try await tree.rotate(shown)))
        }
    }

    @Test("an answer that leaves late says nothing of the rotation that followed it")
    func late() async throws {
        try await TestTree.with { tree in
            let first = try await rotated(tree).issued, sent = tree.store.sent
            let leaving = sent.begin(first.row.family, child: first.row.id, at: tree.time.now)
            let second = try pair(try await tree.rotate(first.refreshToken, isAnswered: false))
            let next = sent.begin(second.row.family, child: second.row.id, at: tree.time.now)

            sent.succeed(leaving)
            await tree.store.settle()
            #expect(try await !isNoted(second, tree))
            sent.succeed(next)
            await tree.store.settle()

            #expect(try await isNoted(second, tree))
        }
    }

    @Test("many are noted, some in one commit; nothing of them is kept, and then nothing is asked")
    func many() async throws {
        try await TestTree.with { tree in
            var issued: [IssuedToken] = []
            for _ in 0..<300 { issued.append(try await rotated(tree).issued) }

            for one in issued { try await RefreshFamily(store: tree.store).sending(one)({}) }
            await tree.store.settle()

            #expect(
                try await tree.database.value("select count(*) from family where answered_at < 'infinity'") == 300)
            #expect(issued.allSatisfy { tree.store.sent.of($0.row.family) == nil })
        }
    }

    @Test("beyond what is kept of an outage the oldest go untold")
    func bounded() async throws {
        try await TestTree.with { tree in
            let sent = tree.store.sent,
                families = (0...SentAnswers.most).map { _ in NodeID(rawValue: UUID()) }
            try await tree.database.atomically { transaction in
                _ = try await transaction.execute("lock table family in access exclusive mode")
                for family in families {
                    sent.succeed(sent.begin(family, child: family, at: tree.time.now))
                }
                #expect(sent.of(families[0]) == nil)
                #expect(sent.of(families[1]) != nil && sent.of(families[SentAnswers.most]) != nil)
            }
        }
    }
}
