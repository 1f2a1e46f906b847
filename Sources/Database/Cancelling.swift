import Foundation
import Synchronization

/// Cancelling, by kind of request. A shared one is given up: its caller goes, its result is awaited and dropped, as a
/// cancel request could hit a stranger's statement. One in a transaction, or alone, is cancelled on the server. COMMIT
/// and ROLLBACK never are.
extension Connection {
    nonisolated func cancel(_ ticket: Ticket) {
        ticket.cancel()
        onLoop { $0.cancelNow(ticket) }
    }

    private func cancelNow(_ ticket: Ticket) {
        guard phase == .ready else { return }
        if let script, script.request.ticket === ticket {
            self.script?.isCancelling = true
            return cancelOnServer()
        }
        var work: Request.Work?
        var complete: (@Sendable (Request.Answer) -> Void)?
        _ = pipeline.update(ticket) { entry in
            work = entry.request.work
            switch entry.request.work {
            case .shared:
                if !entry.isAbandoned { complete = entry.request.complete }
                entry.isAbandoned = true
            case .within, .alone: entry.isCancelling = true
            case .ending, .script: break
            }
        }
        complete?(.failed(.cancelled))
        switch work {
        case .within, .alone: cancelOnServer()
        case .shared, .ending, .script, nil: break
        }
    }

    private func cancelOnServer() {
        guard let canceller, CancelRequests.send(canceller, then: { self.onLoop { $0.cancelReturned() } }) else {
            return
        }
        cancelling += 1
        let deadline = ContinuousClock.now + conninfo.answerLimit
        cancelDeadline = deadline
        checkTime(at: deadline)
    }

    private func cancelReturned() {
        guard phase == .ready else { return }
        cancelling -= 1
        guard cancelling == 0 else { return }
        let ready = held
        held = []
        for (request, answer) in ready { self.answer(request, answer) }
    }
}

/// Cancel requests under way in this process. libpq waits for the server to close each, which one that is silent never
/// does: a few threads of their own may hang there, and none of Dispatch's, which are as many as cores and fire all
/// timers.
enum CancelRequests {
    private static let most = 8
    private static let running = Atomic(0)

    /// `false` where too many hang already: without its request a statement ends by its time limit.
    static func send(_ canceller: Canceller, then: @escaping @Sendable () -> Void = {}) -> Bool {
        guard running.add(1, ordering: .relaxed).newValue <= most else {
            running.subtract(1, ordering: .relaxed)
            return false
        }
        Thread.detachNewThread {
            canceller.requestCancel()
            running.subtract(1, ordering: .relaxed)
            then()
        }
        return true
    }
}
