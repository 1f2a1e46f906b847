import HTTP
import Logging
import ServiceLifecycle

/// The last of the services, so the first that is told to stop: for `delay` the others go on, with `/readyz` at 503.
struct Draining: Service {
    let drain: Drain
    let delay: Duration
    let notice: SupervisorNotice?
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        drain.begin()
        notice?.tell("STOPPING=1")
        logger.notice("stopping", metadata: ["drain": "\(delay)"])
        guard delay > .zero else { return }
        try await Task.sleep(for: delay)
        await drain.letNobodyIn(logger: logger)
        try await Task.sleep(for: Drain.lastAnswers)
    }
}
