import Foundation
import Synchronization

/// Manners towards one host: at most two connections at a time and eight requests begun in any second, over all
/// services.
///
/// Every request of every service passes here, so it is a lock, held for a look into a table, and no actor: a place
/// that is free costs no change of threads.
final class HostGate: Sendable {
    private struct Host {
        var open = 0
        var begun: [ContinuousClock.Instant] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var tidied = ContinuousClock.now
    }

    private static let connections = 2, requests = 8
    private static let pause = Duration.milliseconds(20)
    /// A request counts for so long.
    private static let memory = Duration.seconds(1)
    /// Up to so many, hosts that have been quiet take too little room to look for them.
    private static let few = 256

    private let state = Mutex(State())

    /// Hosts in the table.
    var count: Int { state.withLock { $0.hosts.count } }

    /// Waits for a place; every `enter` that returned needs one `leave`. Throws `timeout` after `limit`, and when the
    /// task is cancelled.
    /// - Returns: how long it waited, which is not the host's fault.
    nonisolated(nonsending) func enter(
        _ name: String, within limit: Duration = .seconds(60)
    ) async throws -> Duration {
        let arrived = ContinuousClock.now
        while true {
            let now = ContinuousClock.now
            if take(name, at: now) { return now - arrived }
            guard now - arrived < limit else {
                throw CrawlFailure(.timeout, "\(name) was busy with other services for \(limit)")
            }
            try await Task.sleep(for: HostGate.pause)
        }
    }

    private func take(_ name: String, at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            var host = state.hosts.removeValue(forKey: name) ?? Host()
            defer { state.hosts[name] = host }
            host.begun.removeAll { now - $0 >= HostGate.memory }
            guard host.open < HostGate.connections, host.begun.count < HostGate.requests else { return false }
            host.open += 1
            host.begun.append(now)
            return true
        }
    }

    func leave(_ name: String) {
        let now = ContinuousClock.now
        state.withLock { state in
            state.hosts[name]?.open -= 1
            // Hosts that have been quiet are forgotten, so that the table is as large as what is under way. Once in the
            // time that it remembers: a look at all of them with each request takes squares of time.
            guard state.hosts.count > HostGate.few, now - state.tidied >= HostGate.memory else { return }
            state.tidied = now
            state.hosts = state.hosts.filter { host in
                host.value.open > 0 || host.value.begun.contains { now - $0 < HostGate.memory }
            }
        }
    }
}
