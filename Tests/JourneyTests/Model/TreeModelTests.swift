import Synchronization
import TestSupport
import Testing

/// What the suite may cost: the same on every machine.
enum TrialBudget {
    static let length = 50
    static let stockEvery = 10
    static let attempts = 80
    /// Always the same, and one that nobody has seen. A server for each list.
    static let seeds =
        stride(from: UInt64(1), to: 30, by: 5).map { Array($0..<$0 + 5) } + [[UInt64.random(in: 1_000...UInt64.max)]]
}

@Suite("token-tree.md: the tree against its model")
struct TreeModelTests {
    @Test(
        "random operations are answered as the model says, and what lives there lives here",
        arguments: TrialBudget.seeds)
    func agrees(seeds: [UInt64]) async throws {
        let failures = Mutex<[(seed: UInt64, least: TreeTrial.Failure)]>([])
        try await TestServer.with(connections: 4) { server in
            for seed in seeds {
                let trial = TreeTrial(server: server),
                    operations = Sequences.make(seed: seed, length: TrialBudget.length)
                guard let failure = try await trial.failure(of: operations, stockEvery: TrialBudget.stockEvery) else {
                    continue
                }
                let least = try await trial.shrunk(failure, attempts: TrialBudget.attempts)
                failures.withLock { $0.append((seed, least)) }
            }
        }

        for (seed, least) in failures.withLock({ $0 }) {
            let again = try await TreeTrial.failureInNewServer(of: least.operations)
            Issue.record(
                """
                seed \(seed), the least that differs:\n\(least.account)\nin a new server: \
                \(again?.difference ?? "all agrees, so it needs what went before")
                """
            )
        }
    }

    @Test("an assertion made before an upgrade works after it, though the old version was revoked since")
    func upgradedInFlight() async throws {
        let actions: [Action] = [
            .register(version: 1, .new), .logIn(Reference(number: 0), .ada), .askForAssertion(Reference(number: 1)),
            .upgrade(Reference(number: 0), to: 2, keepsKey: true),
            .revokeNode(.virtual(.version(1))), .deliverEvents, .redeemAssertion(Reference(number: 2), provenBy: nil),
        ]

        let account = try await TreeTrial.failureInNewServer(
            of: actions.enumerated().map { Operation(number: $0.offset, action: $0.element) })?.account

        #expect(account == nil)
    }

    @Test("a wrong idea of the tree is found, and told in six operations at most", arguments: Misbelief.allCases)
    func finds(_ misbelief: Misbelief) async throws {
        try await TestServer.with(connections: 4) { server in
            let trial = TreeTrial(server: server, misbelief: misbelief)
            var found: TreeTrial.Failure?
            for seed in UInt64(1)...20 where found == nil {
                found = try await trial.failure(
                    of: Sequences.make(seed: seed, length: TrialBudget.length), stockEvery: TrialBudget.stockEvery)
            }
            let failure = try #require(found, "not found: \(misbelief.rawValue)")

            let least = try await trial.shrunk(failure, attempts: TrialBudget.attempts)

            #expect(least.operations.count <= 6, "\(misbelief.rawValue):\n\(least.account)")
        }
    }

    @Test("a seed gives one sequence, another seed another")
    func deterministic() {
        func text(_ seed: UInt64) -> String { "\(Sequences.make(seed: seed, length: 40))" }

        #expect(text(1) == text(1))
        #expect(text(1) != text(2))
    }

    @Test("of a list that fails for two of its elements these two are left")
    func shrinks() async {
        var runs = 0
        let least = await Shrinker.shrink(Array(1...40), attempts: 100) { list in
            runs += 1
            return list.contains(7) && list.contains(31) ? list : nil
        }

        #expect(least == [7, 31])
        #expect(runs < 60)
    }

    @Test("two that are only needed for one another go together")
    func shrinksPairs() async {
        let least = await Shrinker.shrink(Array(1...20), attempts: 200) { list in
            list.contains(3) && list.contains(8) == list.contains(14) ? list : nil
        }

        #expect(least == [3])
    }

    @Test("after so many attempts it is enough")
    func stops() async {
        var runs = 0
        _ = await Shrinker.shrink(Array(1...1_000), attempts: 50) { list in
            runs += 1
            return nil
        }

        #expect(runs == 50)
    }
}
