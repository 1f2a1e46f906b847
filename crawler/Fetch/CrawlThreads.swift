import NIOCore
import NIOPosix
import Synchronization

/// The threads of crawls: each begins on one and stays there with its connections, so that a request, its answer and
/// what follows from it wake no other thread. They are not those of the HTTP server, which answers meanwhile.
///
/// What computes for long must leave them (``Search``).
enum CrawlThreads {
    /// Half of the cores: PostgreSQL, the server and reading of large documents need the others.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
    private static let executors = loops.makeIterator().map(CrawlExecutor.init)
    private static let turn = Atomic(0)

    /// Makes them now, while there are descriptors: SwiftNIO ends a process that has none for a new thread's selector.
    static func make() { _ = executors }

    /// The threads in turn.
    static func next() -> some TaskExecutor {
        executors[turn.wrappingAdd(1, ordering: .relaxed).oldValue % executors.count]
    }
}

/// As HTTP's `EventLoopExecutor`, which stands a floor above.
private final class CrawlExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
