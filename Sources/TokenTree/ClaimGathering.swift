import Base
import Database
import Synchronization

/// Claims of one-time identifiers that come while others are on their way go with the next statement, with one commit
/// for all of them (group commit). One that comes alone goes at once.
final class ClaimGathering: Sendable {
    /// Ids of one statement.
    static let most = 500
    /// How many may wait: at that length what is claimed now would be answered too late to be of use.
    static let room = 5_000

    private struct Waiting: Sendable {
        let id: NodeID
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    private let state = Mutex(State())
    private let lanes: Int
    private let room: Int
    private let write: @Sendable ([NodeID]) async throws -> [NodeID]

    /// `write` records ids, each once, and gives those that were new. `lanes`: how many statements at once, so that one
    /// that waits holds up few.
    init(
        lanes: Int = 2, room: Int = ClaimGathering.room, write: @escaping @Sendable ([NodeID]) async throws -> [NodeID]
    ) {
        (self.lanes, self.room, self.write) = (lanes, room, write)
    }

    /// How many have not been sent yet.
    var count: Int { state.withLock { $0.waiting.count } }

    /// True for the first. Does not end early when its task is cancelled: whether it was recorded would not be known.
    /// Beyond `room` at once `unavailable`, and nothing is recorded.
    func claim(_ id: NodeID) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let (isTaken, isNeeded): (Bool, Bool) = state.withLock { state in
                guard state.waiting.count < room else { return (false, false) }
                state.waiting.append(Waiting(id: id, continuation: continuation))
                guard state.running < lanes else { return (true, false) }
                state.running += 1
                return (true, true)
            }
            guard isTaken else { return continuation.resume(throwing: DatabaseError.unavailable("many claims wait")) }
            if isNeeded { Task { await self.work() } }
        }
    }

    private func work() async {
        while let batch = next() { await settle(batch) }
    }

    /// `nil`: nothing waits, and whoever comes next starts another.
    private func next() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            let batch = Array(state.waiting.prefix(ClaimGathering.most))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    /// What one id brings about (no partition, a lock that another holds) is not the others' error: then each half goes
    /// by itself, down to the one. What the database brings about is everybody's; and when it is away, also of those
    /// who wait: each would only learn the same, later.
    private func settle(_ batch: [Waiting]) async {
        var parts = [batch[...]]
        while let part = parts.popLast() {
            do {
                var fresh = Set(try await write(part.map(\.id)))
                for one in part { one.continuation.resume(returning: fresh.remove(one.id) != nil) }
            } catch {
                if ClaimGathering.isOfAll(error) {
                    for one in part { one.continuation.resume(throwing: error) }
                    for one in parts.joined() { one.continuation.resume(throwing: error) }
                    if case DatabaseError.unavailable = error { dismiss(error) }
                    return
                }
                guard part.count > 1 else {
                    for one in part { one.continuation.resume(throwing: error) }
                    continue
                }
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
        }
    }

    /// Tells all that wait.
    private func dismiss(_ error: any Error) {
        let all: [Waiting] = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in all { one.continuation.resume(throwing: error) }
    }

    private static func isOfAll(_ error: any Error) -> Bool {
        switch error {
        case DatabaseError.unavailable, DatabaseError.timeout, DatabaseError.cancelled: true
        default: false
        }
    }
}
