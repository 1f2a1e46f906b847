import Dispatch

/// Runs an actor on a serial dispatch queue, so that its socket's readiness handlers already are on the actor.
/// (`DispatchSerialQueue` would be one, but Linux has none.)
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
