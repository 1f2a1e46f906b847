import Database
import Foundation
import Hummingbird
import Logging
import NIOCore
import Routes
import ServiceLifecycle

/// A long task as a service: cancelled at graceful shutdown, so that what it has in hand ends and nothing new begins.
struct Worker: Service {
    let name: String
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await body() }
    }
}

/// Everything that runs in `pando serve`: listeners, event sender, crawler, key and partition keepers.
struct ServerProcess: Sendable {
    let composition: Composition
    let metrics: PrometheusRegistry?

    private var settings: Settings { composition.settings }

    /// Until a signal. `ready` is called once all addresses are bound.
    func run(ready: @escaping @Sendable () async -> Void, alongside extra: [Worker] = []) async throws {
        try await composition.prepare()
        var services = workers().map { $0 as any Service } + extra.map { $0 as any Service }
        let responder = composition.routes().router().buildResponder()
        let gate = ReadyGate(expected: settings.bind.count, then: ready)
        for address in settings.bind {
            services.append(Application(
                responder: responder,
                server: .http1(configuration: .init(idleTimeout: .seconds(75), httpDecoderConfiguration: .init(maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024, maxHeaderFieldCount: 100))),
                configuration: .init(address: .hostname(address, port: settings.port), serverName: "pando", backlog: 1024),
                onServerRunning: { _ in await gate.opened() },
                logger: composition.logger
            ))
        }
        if let port = settings.metricsPort, let metrics { services.append(MetricsListener(port: port, registry: metrics, logger: composition.logger).application) }
        var configuration = ServiceGroupConfiguration(services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: composition.logger)
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {}
        await composition.database.close()
        try? await Peers.close()
    }

    private func workers() -> [Worker] {
        let composition = self.composition
        var workers = [
            Worker(name: "keys") { await composition.keys.watch() },
            Worker(name: "keeper") { try await ServerProcess.keep(composition) },
        ]
        if settings.roles.contains(.idp) { workers.append(Worker(name: "events") { await composition.eventSender.run() }) }
        if settings.roles.contains(.crawler) { workers.append(Worker(name: "crawler") { try await composition.crawler.run() }) }
        return workers
    }

    /// Partitions ahead, dead ones dropped, keys rotated when due: every ten minutes; a database that is away is tried again.
    private static func keep(_ composition: Composition) async throws {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(600))
            guard !Task.isCancelled else { return }
            do {
                try await composition.partitions.makeAhead()
                try await composition.partitions.dropDead()
                try await composition.keys.ensure()
            } catch {
                composition.logger.warning("housekeeping waits", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// Calls once, when all listeners are bound.
actor ReadyGate {
    private var missing: Int
    private let then: @Sendable () async -> Void

    init(expected: Int, then: @escaping @Sendable () async -> Void) { (missing, self.then) = (expected, then) }

    func opened() async {
        missing -= 1
        if missing == 0 { await then() }
    }
}
