import Base
import Foundation
import TestSupport
import Testing

@testable import TokenTree

@Suite("Housekeeping that is done once a day")
struct DailyTurnTests {
    private func taken(_ tree: TestTree, process: Date, database: Date) async throws -> Bool {
        var isTaken = false
        try await DailyTurn(
            "of-a-test", database: tree.database, clock: WallClock { process },
            databaseClock: DatabaseClock { _ in database }
        ).take { _ in
            isTaken = true
            return nil
        }
        return isTaken
    }

    @Test("by one process, and again a day later")
    func daily() async throws {
        try await TestTree.with { tree in
            let now = tree.time.now, later = now.addingTimeInterval(86_400)

            let first = try await taken(tree, process: now, database: now)
            let early = try await taken(tree, process: later - 1, database: later - 1)
            let next = try await taken(tree, process: later, database: later)

            #expect(first && !early && next)
        }
    }

    @Test("a process whose clock is ahead of the database's takes no turn, and keeps nobody from theirs")
    func ahead() async throws {
        try await TestTree.with { tree in
            let now = tree.time.now

            let minute = try await taken(tree, process: now.addingTimeInterval(61), database: now)
            let year = try await taken(tree, process: now.addingTimeInterval(400 * 86_400), database: now)
            let kept = try await taken(tree, process: now.addingTimeInterval(59), database: now)

            #expect(!minute && !year && kept)
        }
    }

    @Test("with a clock that is years ahead no revocation is forgotten")
    func revocation() async throws {
        try await TestTree.with { tree in
            let node = NodeID(endless: .system), now = tree.time.now
            try await tree.revocation.revoke(.token(node), by: .server)
            func forget(at moment: Date, database: Date) async throws {
                try await TreePurge(
                    database: tree.database, clock: WallClock { moment }, databaseClock: DatabaseClock { _ in database }
                ).forgetRevocations()
            }
            let ahead = now.addingTimeInterval(365 * 86_400)

            try await forget(at: ahead, database: now)
            let isKept = try await tree.store.isRevoked(node)
            try await forget(at: ahead, database: ahead)
            let isLeft = try await tree.store.isRevoked(node)

            #expect(isKept && !isLeft)
        }
    }
}
