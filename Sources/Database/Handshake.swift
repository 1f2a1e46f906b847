import Dispatch
import Foundation

/// Connecting, without waiting: libpq says which readiness it needs next, until it is done or failed. It knows no time
/// limit in this mode ("it is the responsibility of the application", libpq, 34.1), and would stay with a silent host
/// for ever: so each attempt is at one host, or one address of it, and has a limit of its own.
enum Handshake {
    /// What resolves names, ours or libpq's, waits: while the loop goes on, and on a queue of its own. The global one
    /// has as many threads as there are cores, so that two which wait would keep all others from connecting.
    static func resolve(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "pando.connecting").async(execute: body)
    }

    /// `@unchecked Sendable`: nobody else has the connection yet.
    struct Begun: @unchecked Sendable { let wire: Wire? }
}

extension Connection {
    /// Begins to connect; `ready` or `lost` follows.
    nonisolated func start() {
        Handshake.resolve { [conninfo] in
            let attempts = conninfo.attempts()
            self.onLoop {
                guard $0.phase == .new else { return }
                $0.attempts = attempts
                $0.tryNext()
            }
        }
    }

    private func tryNext() {
        guard !attempts.isEmpty else { return end(failures.isEmpty ? "no host" : failures.joined(separator: "; ")) }
        let next = attempts.removeFirst()
        trying = next
        phase = .connecting
        attempt += 1
        doubt = ""
        let number = attempt
        loop.async(after: .seconds(next.limit)) { [weak self] in
            self?.assumeIsolated { $0.attemptTimedOut(number, next) }
        }
        Handshake.resolve {
            let begun = Handshake.Begun(wire: Wire(starting: next.parameters))
            self.onLoop { $0.begun(begun, number) }
        }
    }

    private func begun(_ begun: Handshake.Begun, _ number: Int) {
        guard let wire = begun.wire else { return number == attempt ? lose("out of memory") : () }
        guard number == attempt, phase == .connecting else { return wire.finish() }
        self.wire = wire
        guard !wire.isLost else { return lose(wire.failure) }
        watchOnce(.writing, on: wire)
    }

    private func attemptTimedOut(_ number: Int, _ attempt: Conninfo.Attempt) {
        guard number == self.attempt, phase == .connecting || phase == .greeting else { return }
        conninfo.memory.noticeSilence(of: attempt.place)
        lose("no answer from \(attempt.place) within \(attempt.limit) seconds")
    }

    func attemptFailed(_ reason: String) {
        phase = .connecting
        letGo()
        if let trying, let plainer = trying.withoutOptions, reason.contains("startup parameter") {
            // A pooler that takes no settings at the start: they are made later, or travel with the statements.
            conninfo.memory.noticeRefusal(of: trying.place)
            attempts.insert(plainer, at: 0)
        } else if let trying {
            if !doubt.isEmpty { conninfo.memory.noticeDoubt(doubt, of: trying.place) }
            failures.append(conninfo.memory.doubt(of: trying.place) + reason)
        } else {
            failures.append(reason)
        }
        tryNext()
    }

    private func watchOnce(_ direction: SocketWatch.Direction, on wire: Wire) {
        let isWatched = watch.once(direction, wire.socket) { [weak self] in
            self?.assumeIsolated { $0.connectFurther() }
        }
        if !isWatched { lose("out of file descriptors") }
    }

    private func connectFurther() {
        guard phase == .connecting, let wire else { return }
        switch wire.connectFurther() {
        case .reading: watchOnce(.reading, on: wire)
        case .writing: watchOnce(.writing, on: wire)
        case .done: greet()
        case .failed: lose(wire.failure)
        }
    }
}
