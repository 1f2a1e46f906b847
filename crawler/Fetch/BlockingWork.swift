import Dispatch
import Synchronization

/// Work that blocks its thread, away from the pool on which everything else runs: on threads of its own, so many at a
/// time; the rest waits in order.
final class BlockingWork: Sendable {
    private struct State {
        var free: Int
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>
    private let queue: DispatchQueue

    init(_ label: String, atMost places: Int) {
        state = Mutex(State(free: places))
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Begins `job` when a place is free. It cannot be broken off.
    func start(_ job: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            guard state.free > 0 else {
                state.waiting.append(job)
                return false
            }
            state.free -= 1
            return true
        }
        if begins { queue.async { self.work(job) } }
    }

    /// The result of `job`, whenever it is there.
    func run<T: Sendable>(_ job: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            start { continuation.resume(returning: job()) }
        }
    }

    private func work(_ first: @escaping @Sendable () -> Void) {
        var job = first
        while true {
            job()
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                guard !state.waiting.isEmpty else {
                    state.free += 1
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next else { return }
            job = next
        }
    }
}
