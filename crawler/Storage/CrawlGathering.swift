import Base
import Database
import Synchronization

/// What crawls ask of their rows while an earlier question is on its way goes together with the next: one transaction
/// and one commit for many services. One that comes alone goes at once.
final class CrawlGathering<Item: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let item: Item
        let service: String
        let continuation: CheckedContinuation<Outcome, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
    }

    /// Services of one transaction; their rows are locked meanwhile, for milliseconds.
    private let most: Int
    private let state = Mutex(State())
    private let work: @Sendable ([Item]) async throws -> [Outcome]

    /// `work` gives the outcome of each item, in their order, when it is durable; or throws, when nothing was done. It
    /// sees a service once at a time.
    init(most: Int = 32, work: @escaping @Sendable ([Item]) async throws -> [Outcome]) {
        (self.most, self.work) = (most, work)
    }

    /// Does not end early when its task is cancelled: whether it was committed would not be known.
    func run(_ item: Item, of service: String) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Waiting(item: item, service: service, continuation: continuation))
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if begins { Task { await self.workOff() } }
        }
    }

    private func workOff() async {
        while let batch = next() { await settle(batch) }
    }

    /// `nil`: nothing waits, and whoever comes next begins anew. A service that is in the batch already waits for the
    /// next one, so that each sees what the one before it wrote.
    private func next() -> [Waiting]? {
        state.withLock { state in
            var batch: [Waiting] = [], rest: [Waiting] = [], services: Set<String> = []
            for one in state.waiting {
                if batch.count < most, services.insert(one.service).inserted {
                    batch.append(one)
                } else {
                    rest.append(one)
                }
            }
            (state.waiting, state.isRunning) = (rest, !batch.isEmpty)
            return batch.isEmpty ? nil : batch
        }
    }

    /// What is wrong with one service, or what somebody else holds of it, is no other's trouble: then each half goes by
    /// itself, down to the one. When the database is away, all learn it at once.
    private func settle(_ batch: [Waiting]) async {
        var parts = [batch[...]]
        while let part = parts.popLast() {
            do {
                let outcomes = try await work(part.map(\.item))
                for (one, outcome) in zip(part, outcomes) { one.continuation.resume(returning: outcome) }
            } catch {
                let isOfAll =
                    switch error as? DatabaseError {
                    case .unavailable, .timeout, .cancelled: true
                    default: false
                    }
                guard part.count > 1, !isOfAll else {
                    for one in part { one.continuation.resume(throwing: error) }
                    guard isOfAll else { continue }
                    for one in parts.joined() { one.continuation.resume(throwing: error) }
                    return
                }
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
        }
    }
}
