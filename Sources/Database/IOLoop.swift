import Foundation
import Synchronization

/// The one thread that reads and writes all connections of a process to PostgreSQL, and the executor of their actors.
///
/// A statement so costs two wakes, of this thread and of its caller's, and none where either is awake: what many
/// callers submit while the thread is busy is done in one round of it. A thread or queue for each connection would be
/// woken for each statement, by way of Dispatch's own. Nothing here may wait but the loop itself: names are resolved
/// elsewhere (`Handshake`).
///
/// `@unchecked Sendable`: `inbox` is under its lock, and `watches`, `polled` and `timers` are touched on the thread
/// alone, which `checkIsolated` and the preconditions hold to.
final class IOLoop: SerialExecutor, @unchecked Sendable {
    static let shared = IOLoop(name: "pando.database")

    private enum Job {
        case task(UnownedJob)
        case body(@Sendable () -> Void)
    }

    private struct Inbox {
        var jobs: [Job] = []
        var timers: [Timer] = []
        /// The thread waits in poll(2) and must be told.
        var isAsleep = false
    }

    private struct Timer {
        let at: ContinuousClock.Instant
        let number: Int
        let body: @Sendable () -> Void
    }

    private struct Watch {
        let events: Int16
        let isOnce: Bool
        let ready: @Sendable () -> Void
    }

    private let inbox = Mutex(Inbox())
    private let made = Atomic(0)
    private let thread = Atomic<UInt>(0)
    private let wakeRead: Int32, wakeWrite: Int32
    private var watches: [Int32: Watch] = [:]
    private var polled: [pollfd] = []
    private var isPolledStale = true
    /// Soonest last.
    private var timers: [Timer] = []

    init(name: String) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { preconditionFailure("no file descriptors for the database's loop") }
        (wakeRead, wakeWrite) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        let thread = Thread { self.run() }
        thread.name = name
        thread.start()
    }

    // MARK: From any thread

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        add { $0.jobs.append(.task(job)) }
    }

    /// In the order of the calls of each caller.
    func async(_ body: @escaping @Sendable () -> Void) { add { $0.jobs.append(.body(body)) } }

    /// Not before `delay` is over.
    func async(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
        let timer = Timer(
            at: .now + max(.zero, delay), number: made.add(1, ordering: .relaxed).newValue, body: body)
        add { $0.timers.append(timer) }
    }

    private func add(_ change: (inout sending Inbox) -> Void) {
        let isAsleep = inbox.withLock { inbox in
            change(&inbox)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        guard isAsleep else { return }
        var byte: UInt8 = 1
        _ = write(wakeWrite, &byte, 1)
    }

    private var isOnThread: Bool { thread.load(ordering: .relaxed) == IOLoop.current }
    private static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    func checkIsolated() { precondition(isOnThread, "not on the database's loop") }

    // MARK: On the thread

    /// Calls `ready` whenever the descriptor is, or once, until `unwatch`. The descriptor is the caller's own and open
    /// until then.
    func watch(_ descriptor: Int32, _ events: Int16, isOnce: Bool, _ ready: @escaping @Sendable () -> Void) {
        precondition(isOnThread)
        watches[descriptor] = Watch(events: events, isOnce: isOnce, ready: ready)
        isPolledStale = true
    }

    func unwatch(_ descriptor: Int32) {
        precondition(isOnThread)
        watches[descriptor] = nil
        isPolledStale = true
    }

    private func run() {
        thread.store(IOLoop.current, ordering: .relaxed)
        while true {
            work()
            poll()
        }
    }

    private func work() {
        let (jobs, fresh) = inbox.withLock { inbox in
            defer { (inbox.jobs, inbox.timers) = ([], []) }
            return (inbox.jobs, inbox.timers)
        }
        for timer in fresh { insert(timer) }
        for job in jobs {
            switch job {
            case .task(let task): task.runSynchronously(on: asUnownedSerialExecutor())
            case .body(let body): body()
            }
        }
        let now = ContinuousClock.now
        while let next = timers.last, next.at <= now {
            timers.removeLast()
            next.body()
        }
    }

    /// Two at the same time go off in the order in which they were set.
    private func insert(_ timer: Timer) {
        let index = timers.firstIndex { ($0.at, $0.number) < (timer.at, timer.number) } ?? timers.endIndex
        timers.insert(timer, at: index)
    }

    private func poll() {
        if isPolledStale {
            polled = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
            polled += watches.map { pollfd(fd: $0.key, events: $0.value.events, revents: 0) }
            isPolledStale = false
        }
        let isIdle = inbox.withLock { inbox in
            inbox.isAsleep = inbox.jobs.isEmpty && inbox.timers.isEmpty
            return inbox.isAsleep
        }
        let count = Foundation.poll(&polled, nfds_t(polled.count), isIdle ? patience : 0)
        inbox.withLock { $0.isAsleep = false }
        guard count > 0 else { return }
        if polled[0].revents != 0 { drain() }
        for one in polled.dropFirst() where one.revents != 0 {
            // It may have been let go of by the one before it.
            guard let watch = watches[one.fd] else { continue }
            if watch.isOnce { unwatch(one.fd) }
            watch.ready()
        }
    }

    /// Milliseconds until the next timer, rounded up so that it is due then; -1 for none.
    private var patience: Int32 {
        guard let next = timers.last else { return -1 }
        let left = (next.at - .now) / .milliseconds(1)
        return Int32(min(max(0, left.rounded(.up)), 60_000))
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeRead, &bytes, bytes.count) == bytes.count {}
    }
}
