import Dispatch

/// Cancelling, by kind of request. A shared one is given up: its caller goes, its result is awaited and dropped, as a cancel
/// request could hit a stranger's statement. One in a transaction is cancelled on the server. COMMIT and ROLLBACK never are.
extension Connection {
    nonisolated func cancel(_ ticket: Ticket) {
        ticket.cancel()
        onQueue { $0.cancelNow(ticket) }
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
            case .within: entry.isCancelling = true
            case .ending, .script: break
            }
        }
        complete?(.failed(.cancelled))
        if case .within = work { cancelOnServer() }
    }

    private func cancelOnServer() {
        guard let canceller else { return }
        cancelling += 1
        DispatchQueue.global().async {
            canceller.requestCancel()
            self.onQueue { $0.cancelReturned() }
        }
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
