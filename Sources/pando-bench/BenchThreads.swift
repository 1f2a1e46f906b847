import Foundation

/// A computation and nothing else, on as many threads of the pool as it is told: what no server that computes it can
/// pass.
enum BenchThreads {
    /// `work` counts what it does until the deadline.
    static func perSecond(
        threads: Int, seconds: Int, _ work: @escaping @Sendable (ContinuousClock.Instant) async throws -> Int
    ) async throws -> Double {
        let start = ContinuousClock.now, deadline = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<threads { group.addTask { try await work(deadline) } }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }
}
