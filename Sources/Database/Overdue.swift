/// Giving up. PostgreSQL ends a slow statement itself (`statement_timeout`), and then the connection lives on. What is
/// here is for a server that says nothing at all: stopped, out of disk, or behind a network that swallows packets.
///
/// Whoever waits has a deadline of its own and is answered then. The connection ends when a transaction is on it, whose
/// state nobody knows any more, or when the server said nothing for as long as a statement may take.
extension Connection {
    /// One timer stands for all requests: in the hot path this is a comparison.
    func checkTime(at deadline: ContinuousClock.Instant) {
        if let checkAt, checkAt <= deadline { return }
        checkAt = deadline
        loop.async(after: deadline - .now) { [weak self] in
            self?.assumeIsolated {
                // Another one was set meanwhile, and will look further.
                guard $0.checkAt == deadline else { return }
                $0.checkAt = nil
                $0.giveUpOverdue()
            }
        }
    }

    private func giveUpOverdue() {
        guard phase == .ready else { return }
        let now = ContinuousClock.now
        let overdue = pipeline.abandonOverdue(at: now)
        if isGivenUp(overdue, at: now) {
            let canceller = self.canceller
            lose(Connection.silence)
            // So that it does not go on for nobody, where it is only slow.
            if let canceller { _ = CancelRequests.send(canceller) }
        }
        for request in overdue { request.complete(.failed(.unavailable(Connection.silence))) }
        if let next = nextCheck { checkTime(at: next) }
    }

    private static let silence = "PostgreSQL did not answer in time"

    private func isGivenUp(_ overdue: [Request], at now: ContinuousClock.Instant) -> Bool {
        if let script, let deadline = script.request.deadline, deadline <= now { return true }
        if cancelling > 0, let cancelDeadline, cancelDeadline <= now { return true }
        if overdue.contains(where: { if case .shared = $0.work { false } else { true } }) { return true }
        return silentAt.map { $0 <= now } ?? false
    }

    /// When the connection counts as dead, if nothing is heard until then.
    private var silentAt: ContinuousClock.Instant? {
        pipeline.firstDeadline.map { max($0, heardAt + conninfo.silenceLimit) }
    }

    private var nextCheck: ContinuousClock.Instant? {
        let all = [script?.request.deadline, cancelling > 0 ? cancelDeadline : nil, pipeline.nextDeadline, silentAt]
        return phase == .ready ? all.compactMap(\.self).min() : nil
    }
}
