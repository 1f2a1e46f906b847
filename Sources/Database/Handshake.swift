import Dispatch
import Foundation

/// Connecting, without waiting: libpq says which readiness it needs next, until it is done or failed.
extension Connection {
    /// Begins to connect; `ready` or `lost` follows within `limit` seconds.
    nonisolated func start(limit: TimeInterval) {
        onQueue { $0.connect() }
        executor.queue.asyncAfter(deadline: .now() + limit) { [weak self] in
            self?.assumeIsolated { if $0.phase == .connecting { $0.lose("no connection within \(limit) seconds") } }
        }
    }

    private func connect() {
        guard phase == .new else { return }
        phase = .connecting
        guard let wire = Wire(starting: conninfo) else { return lose("out of memory") }
        self.wire = wire
        guard !wire.isLost else { return lose(wire.failure) }
        watchOnce(.writing, on: wire)
    }

    private func watchOnce(_ direction: SocketWatch.Direction, on wire: Wire) {
        let isWatched = watch.once(direction, wire.socket) { [weak self] in self?.assumeIsolated { $0.connectFurther() } }
        if !isWatched { lose("out of file descriptors") }
    }

    private func connectFurther() {
        guard phase == .connecting, let wire else { return }
        switch wire.connectFurther() {
        case .reading: watchOnce(.reading, on: wire)
        case .writing: watchOnce(.writing, on: wire)
        case .done: becomeReady()
        case .failed: lose(wire.failure)
        }
    }
}
