import NIOCore

/// Runs the tasks of a connection on its event loop, so that a request is read, answered and written by one thread: no
/// other is woken but for the database.
///
/// What computes for long must leave it: passwords are hashed on threads of their own (`PasswordHasher`).
public final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    public init(_ loop: any EventLoop) { self.loop = loop }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
