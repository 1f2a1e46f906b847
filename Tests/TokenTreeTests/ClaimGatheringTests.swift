import Base
import Database
import Foundation
import Testing

@testable import TokenTree

@Suite("token-tree.md: one-time identifiers that come together are written together")
struct ClaimGatheringTests {
    /// The table: gives those that are new, and counts statements.
    private actor Table {
        private(set) var statements: [Int] = []
        private var known: Set<NodeID> = []

        func write(_ ids: [NodeID], failing: (any Error)?) throws -> [NodeID] {
            statements.append(ids.count)
            if let failing { throw failing }
            return ids.filter { known.insert($0).inserted }
        }
    }

    private static func id(_ name: String) -> NodeID {
        NodeID(oneTime: name, namespace: "test", expires: Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// What came to `names`, who came while a claim of "first" was on its way, and the sizes of all statements.
    /// `failure` is that of a statement with these ids.
    private static func gather(
        _ names: [String],
        failure: @escaping @Sendable ([NodeID]) -> DatabaseError? = { _ in nil }
    ) async throws -> (told: [String], statements: [Int]) {
        let table = Table(), (gate, opener) = AsyncStream.makeStream(of: Void.self),
            (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        let gathering = ClaimGathering(lanes: 1) { ids in
            begun.yield()
            for await _ in gate { break }
            return try await table.write(ids, failing: failure(ids))
        }
        @Sendable func told(_ name: String) async -> String {
            do { return try await gathering.claim(id(name)) ? "won" : "lost" } catch { return "\(error)" }
        }
        let first = Task { await told("first") }
        var waits = beginnings.makeAsyncIterator()
        _ = await waits.next()
        let others = names.map { name in Task { await told(name) } }
        while gathering.count < names.count { await Task.yield() }
        opener.finish()
        var outcomes = [await first.value]
        for other in others { outcomes.append(await other.value) }
        return (outcomes, await table.statements)
    }

    @Test(
        """
        one alone goes at once; those who come meanwhile go with one statement, each with an outcome of its own, and \
        of two with one name one wins
        """
    )
    func together() async throws {
        let (told, statements) = try await Self.gather(["a", "b", "a", "first"])

        #expect(statements == [1, 4] && told[0] == "won" && told[2] == "won" && told[4] == "lost")
        #expect(Set([told[1], told[3]]) == ["won", "lost"])
    }

    @Test("what one id brings about is no other's error, and is found by halves")
    func oneFails() async throws {
        let bad = Self.id("bad"), refusal = DatabaseError.violation(constraint: "")
        let names = (0..<63).map { "\($0)" } + ["bad"]

        let (told, statements) = try await Self.gather(names, failure: { $0.contains(bad) ? refusal : nil })

        #expect(told.last == "\(refusal)" && told.dropLast().allSatisfy { $0 == "won" } && told.count == 65)
        #expect(statements.count == 14 && statements.sorted() == [1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64])
    }

    @Test(
        """
        a statement that runs out of time is so for all of it, and is not sent once more for each; whoever waits \
        still has a turn
        """
    )
    func slow() async throws {
        let (told, statements) = try await Self.gather(
            (0..<600).map { "\($0)" }, failure: { $0.count == ClaimGathering.most ? .timeout : nil })

        #expect(
            statements == [1, 500, 100] && told.count { $0 == "\(DatabaseError.timeout)" } == 500
                && told.count { $0 == "won" } == 101)
    }

    @Test("a database that is away is away for all that wait as well")
    func away() async throws {
        let error = DatabaseError.unavailable("gone")

        let (told, statements) = try await Self.gather(
            (0..<600).map { "\($0)" }, failure: { $0.count > 1 ? error : nil })

        #expect(statements == [1, 500] && told.first == "won" && told.count { $0 == "\(error)" } == 600)
    }

    @Test("a database that goes while halves are tried is not asked for the others")
    func goes() async throws {
        let error = DatabaseError.unavailable("gone")

        let (told, statements) = try await Self.gather(
            ["a", "b", "c", "d"], failure: { $0.count == 4 ? .serialization : $0.count == 2 ? error : nil })

        #expect(statements == [1, 4, 2] && told == ["won"] + [String](repeating: "\(error)", count: 4))
    }

    @Test("as many wait as there is room for; who comes then is refused at once, and can come again")
    func full() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self),
            (beginnings, begun) = AsyncStream.makeStream(of: Void.self)
        let gathering = ClaimGathering(lanes: 1, room: 2) { ids in
            begun.yield()
            for await _ in gate { break }
            return ids
        }
        let first = Task { try await gathering.claim(Self.id("first")) }
        var waits = beginnings.makeAsyncIterator()
        _ = await waits.next()
        let others = ["a", "b"].map { name in Task { try await gathering.claim(Self.id(name)) } }
        while gathering.count < 2 { await Task.yield() }

        await #expect(throws: DatabaseError.unavailable("many claims wait")) {
            _ = try await gathering.claim(Self.id("c"))
        }
        opener.finish()
        var won = [try await first.value]
        for other in others { won.append(try await other.value) }
        won.append(try await gathering.claim(Self.id("c")))

        #expect(won == [true, true, true, true])
    }
}
