import Foundation

/// Manners towards one host: at most two connections at a time and eight requests begun in any second, over all
/// services.
actor HostGate {
    private struct Host {
        var open = 0
        var begun: [ContinuousClock.Instant] = []
    }

    private static let connections = 2, requests = 8
    private static let pause = Duration.milliseconds(20)

    private var hosts: [String: Host] = [:]

    /// Waits for a place; every `enter` that returned needs one `leave`. Throws `timeout` after `limit`, and when the
    /// task is cancelled.
    /// - Returns: how long it waited, which is not the host's fault.
    func enter(_ name: String, within limit: Duration = .seconds(60)) async throws -> Duration {
        let clock = ContinuousClock(), arrived = clock.now
        while true {
            let now = clock.now
            var host = hosts[name] ?? Host()
            host.begun.removeAll { now - $0 >= .seconds(1) }
            if host.open < HostGate.connections, host.begun.count < HostGate.requests {
                host.open += 1
                host.begun.append(now)
                hosts[name] = host
                return now - arrived
            }
            hosts[name] = host
            guard now - arrived < limit else {
                throw CrawlFailure(.timeout, "\(name) was busy with other services for \(limit)")
            }
            try await Task.sleep(for: HostGate.pause)
        }
    }

    func leave(_ name: String) {
        hosts[name]?.open -= 1
        // Hosts that have been quiet are forgotten, so that the table is as large as what is under way.
        if hosts.count > 256 {
            let now = ContinuousClock.now
            hosts = hosts.filter { $0.value.open > 0 || $0.value.begun.contains { now - $0 < .seconds(1) } }
        }
    }
}
