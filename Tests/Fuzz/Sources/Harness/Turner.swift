import Foundation
import Synchronization

/// Runs asynchronous work to its end on the calling thread, actors included: one input leaves no thread behind and is
/// counted alone.
public final class Turner: TaskExecutor {
    private final class Outcome<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    private let jobs = Mutex<[UnownedJob]>([])

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    public func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) -> Result<Value, any Error> {
        let outcome = Outcome<Value>()
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.result.withLock { $0 = result }
        }
        while true {
            if let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if let result = outcome.result.withLock({ $0 }) {
                return result
            } else {
                usleep(50)
            }
        }
    }
}
