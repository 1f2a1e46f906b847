import Administration
import Database
import Dispatch
import Foundation
import HTTP
import Logging
import Metrics
import NIOCore
import NIOPosix

/// What is measured of the process as a whole: read when somebody reads the page, or looked at every so often.
final class ProcessWatch: Sendable {
    /// Between two looks at the event loops; figures of the database are read at every `turns`th.
    private static let pause = Duration.seconds(1)
    private static let turns = 60
    /// At each of the first ones.
    private static let firstTurns = 5

    private let registry: PrometheusRegistry
    private let composition: Composition
    private let delay: Metrics.Timer

    init(registry: PrometheusRegistry, composition: Composition) {
        (self.registry, self.composition) = (registry, composition)
        delay = Metrics.Timer(label: "pando_event_loop_delay_seconds", factory: registry)
        registry.set("pando_build_info", 1, [("version", Version.text)])
    }

    func page(_ format: MetricsPage.Format) async -> String {
        readProcess()
        readPool()
        registry.set("pando_lease_age_seconds", composition.store.leases.age.map { $0 / .seconds(1) } ?? 0)
        for key in composition.keys.ages {
            registry.set("pando_signing_key_age_seconds", key.seconds, [("algorithm", key.algorithm)])
        }
        return registry.page(format)
    }

    private func readProcess() {
        if let figures = ProcessFigures.read() {
            registry.set("process_cpu_seconds_total", figures.cpuSeconds)
            registry.set("process_resident_memory_bytes", figures.residentBytes)
            registry.set("process_virtual_memory_bytes", figures.virtualBytes)
            registry.set("process_threads", figures.threads)
            registry.set("process_start_time_seconds", figures.startSeconds)
        }
        if let open = ProcessFigures.openDescriptors { registry.set("process_open_fds", open) }
        if let most = ProcessFigures.mostDescriptors { registry.set("process_max_fds", most) }
    }

    private func readPool() {
        let use = composition.database.use
        registry.set("pando_db_connections_in_use", Double(use.inUse))
        registry.set("pando_db_connections_open", Double(use.open))
        registry.set("pando_db_connections_limit", Double(use.limit))
        registry.set("pando_db_callers_waiting", Double(use.waiting))
    }

    /// Until cancelled.
    func run() async {
        var turn = 0
        while !Task.isCancelled {
            askLoops()
            // Stored by whatever process is first, a moment after it began, then every five minutes; of all roles, by one.
            let isDue = turn % ProcessWatch.turns == 0 || turn < ProcessWatch.firstTurns
            if isDue, composition.settings.roles.contains(.idp) { await readTokens() }
            turn += 1
            try? await Task.sleep(for: ProcessWatch.pause)
        }
    }

    /// Each is given something to do, and tells when it came to it. One that hangs is told of when it goes on.
    private func askLoops() {
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            let asked = DispatchTime.now().uptimeNanoseconds
            loop.execute { [delay] in
                delay.recordNanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds - asked))
            }
        }
    }

    /// From figures that are stored: nothing is counted for this.
    private func readTokens() async {
        let names: [(StatisticMetric, String)] = [
            (.liveTokens, "pando_tokens_live"), (.refreshable, "pando_tokens_refreshable"),
        ]
        for (metric, name) in names {
            let figures = try? await StatisticStore.latest(metric, in: composition.database)
            for figure in figures ?? [] { registry.set(name, figure.value, [("kind", figure.label)]) }
        }
    }
}
