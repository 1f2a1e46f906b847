import Administration
import Database
import Dispatch
import Foundation
import HTTP
import Logging
import Metrics
import NIOCore
import NIOPosix
import Synchronization

/// What is measured of the process as a whole: read when somebody reads the page, or looked at every so often.
final class ProcessWatch: Sendable {
    /// Between two looks at the event loops.
    private static let pause = Duration.seconds(1)
    /// Between two readings of the database, however often the page is read.
    private static let patience = Duration.seconds(10)

    private let registry: PrometheusRegistry
    private let composition: Composition
    private let security: TransportSecurity?
    private let delay: Metrics.Timer
    private let readAt = Mutex<ContinuousClock.Instant?>(nil)

    /// `security`: `nil` where this process speaks no TLS itself.
    init(registry: PrometheusRegistry, composition: Composition, security: TransportSecurity? = nil) {
        (self.registry, self.composition, self.security) = (registry, composition, security)
        delay = Metrics.Timer(label: "pando_event_loop_delay_seconds", factory: registry)
        registry.set("pando_build_info", 1, [("version", Version.text)])
    }

    func page(_ format: MetricsPage.Format) async -> String {
        await readDatabase()
        readProcess()
        readPool()
        registry.set("pando_lease_age_seconds", composition.store.leases.age.map { $0 / .seconds(1) } ?? 0)
        if let replica = composition.replica {
            registry.set("pando_replica_age_seconds", replica.age.map { $0 / .seconds(1) } ?? 0)
        }
        for key in composition.keys.ages {
            registry.set("pando_signing_key_age_seconds", key.seconds, [("algorithm", key.algorithm)])
        }
        if let security {
            registry.set(
                "pando_tls_certificate_end_timestamp_seconds", security.certificateEnd.timeIntervalSince1970)
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
        while !Task.isCancelled {
            askLoops()
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

    /// What is so of all processes, where this one is of the IdP: nobody has to look at it while nobody reads the page.
    /// A database that is away leaves what was known.
    private func readDatabase() async {
        let isDue = readAt.withLock { readAt in
            if let readAt, .now - readAt < ProcessWatch.patience { return false }
            readAt = .now
            return true
        }
        guard isDue, composition.settings.roles.contains(.idp) else { return }
        do {
            try await composition.eventMetrics.refresh()
            try await readTokens()
        } catch {
            composition.logger.debug("figures for the metrics wait", metadata: ["error": "\(error)"])
        }
    }

    /// From figures that are stored: nothing is counted for this.
    private func readTokens() async throws {
        let names: [(StatisticMetric, String)] = [
            (.liveTokens, "pando_tokens_live"), (.refreshable, "pando_tokens_refreshable"),
        ]
        for (metric, name) in names {
            for figure in try await StatisticStore.latest(metric, in: composition.database) {
                registry.set(name, figure.value, [("kind", figure.label)])
            }
        }
    }
}
