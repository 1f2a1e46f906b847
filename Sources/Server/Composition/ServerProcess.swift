import Accounts
import Administration
import Base
import CBuild
import Database
import Federation
import Foundation
import HTTP
import Logging
import NIOCore
import Registration
import ServiceLifecycle
import TokenTree

/// A listener as a service: it hears of graceful shutdown itself, and answers what is in flight.
public struct Listening: Service {
    let listener: Listener
    /// What names its port.
    let setting: Setting
    /// Where it is told why it cannot listen; `nil` where whoever runs it tells.
    let logger: Logger?

    public init(listener: Listener, setting: Setting = .port, logger: Logger? = nil) {
        (self.listener, self.setting, self.logger) = (listener, setting, logger)
    }

    public func run() async throws {
        do {
            try await listener.run()
        } catch let error as Listener.Unbound {
            let refusal = Settings.Unacceptable(
                description:
                    error.isTaken
                    ? "\(setting.name): \(error); stop it, or set \(setting.environmentName) to a port that is free"
                    : "\(Setting.bind.name), \(setting.name): \(error)")
            // All others end with this one, and what each of them was at is logged: the cause stands before that.
            logger?.critical("the server ends: \(refusal)")
            throw refusal
        }
    }
}

/// Everything that runs in `pando serve`: listeners, event sender, crawler, key and partition keepers.
public struct ServerProcess: Sendable {
    let composition: Composition
    let metrics: PrometheusRegistry?
    private let readsAgain: Bool
    /// `nil` for plain HTTP.
    private let security: TransportSecurity?
    private let metricsToken: SecretBytes?

    /// Reads the files that the composition has not read, so that whatever a server refuses its settings for is found
    /// before it asks its database for anything but its secrets (`StartCheck`).
    ///
    /// `readsAgain`: SIGHUP has files read again; else it ends the process, as when a terminal closes.
    /// - Throws: `UnacceptableSetting`.
    public init(composition: Composition, metrics: PrometheusRegistry?, readsAgain: Bool = false) throws {
        (self.composition, self.metrics, self.readsAgain) = (composition, metrics, readsAgain)
        let settings = composition.settings
        try LimitSettings.requireDescriptors()
        security = try settings.transport.security(clock: composition.clock)
        metricsToken = try settings.metricsPort == nil ? nil : settings.metrics.token()
        guard settings.roles.contains(.idp) else { return }
        do { try composition.passwordRule.prepare() } catch let error as CommonPasswords.Unreadable {
            throw Settings.Unacceptable(description: "\(Setting.commonPasswords.name): \(error)")
        }
    }

    private var settings: Settings { composition.settings }

    /// Until a signal. `ready` is called once all addresses are bound.
    public func run(ready: @escaping @Sendable () async -> Void) async throws {
        pando_limit_heaps()
        try await composition.prepare()
        let traces = ServerTraces(settings.traces, of: settings.process, logger: composition.logger)
        let table = composition.routes(traces: traces?.recorder), logger = composition.logger,
            notice = SupervisorNotice()
        let gate = ReadyGate(expected: settings.bind.count) {
            await ready()
            notice?.tell("READY=1")
            pando_unmap_start()
        }
        var services: [any Service] = workers()
        if let notice, let interval = notice.watchdog {
            services.append(WatchdogNotices(notice: notice, interval: interval))
        }
        if readsAgain {
            services.append(
                HangupReading(settings: settings, security: security, composition: composition, notice: notice))
        }
        for address in settings.bind {
            let listener = Listener(
                address: address, port: settings.port, answering: .table(table), security: security,
                drain: composition.drain, connections: composition.connections, logger: logger
            ) { _ in
                await gate.opened()
            }
            services.append(Listening(listener: listener, setting: .port, logger: logger))
        }
        if let port = settings.metricsPort, let metrics {
            let watch = ProcessWatch(registry: metrics, composition: composition, security: security)
            let page = MetricsPage(token: metricsToken, text: { await watch.page($0) })
            // Never beside what the world may ask. On loopback in the clear, where no token passes a network.
            let listener = Listener(
                address: settings.metrics.host, port: port, answering: .metrics(page),
                security: settings.metrics.isLoopback ? nil : security, logger: logger)
            services.append(Listening(listener: listener, setting: .metricsPort, logger: logger))
            services.append(Worker(name: "watch") { await watch.run() })
        }
        services.append(
            Draining(drain: composition.drain, delay: settings.drainDelay, notice: notice, logger: logger))
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(20) + settings.drainDelay
        do {
            let group = ServiceGroup(configuration: configuration)
            try await ServerTraces.exporting(traces) { try await group.run() }
        } catch is CancellationError {}
        await composition.store.settle()
        await composition.replica?.close()
        await composition.database.close()
        try? await Peers.close()
    }

    private func workers() -> [Worker] {
        let composition = self.composition
        var workers = [
            Worker(name: "keys") { await composition.keys.watch() },
            // Of the IdP, and of whatever else answers from the index; it costs the others nothing.
            Worker(name: "discovery") { await composition.discovery.watch() },
            Worker(name: "leases") { await composition.store.leases.run(on: composition.database) },
            Worker(name: "clock") {
                await ClockWatch(
                    database: composition.database, clock: composition.clock, databaseClock: composition.databaseClock,
                    logger: composition.logger
                ).run()
            },
            Worker(name: "memory") { await ServerProcess.giveBackMemory(composition) },
            Worker(name: "keeper") { try await ServerProcess.keep(composition) },
        ]
        if let replica = composition.replica {
            workers.append(Worker(name: "read replica") { await replica.run() })
        }
        if settings.roles.contains(.idp) {
            workers.append(Worker(name: "events") { await composition.eventSender.run() })
            workers.append(Worker(name: "ways of hearing") { await composition.hearingProbe.run() })
            workers.append(Worker(name: "heartbeats") { await composition.eventHeartbeats.run() })
            workers.append(Worker(name: "logouts") { await composition.logoutSender.run() })
            workers.append(Worker(name: "statistics") { await ServerProcess.takeStatistics(composition) })
        }
        // One of the processes on this database has to.
        if settings.roles.contains(.idp) || settings.elsewhere != nil {
            workers.append(
                Worker(name: "audit chain") {
                    await composition.auditChain.watch {
                        composition.logger.warning("the audit chain waits", metadata: ["error": "\($0)"])
                    }
                })
        }
        workers += composition.hosted.flatMap(\.workers) + composition.following
        if settings.roles.contains(.crawler) {
            composition.crawler.prepare()
            workers.append(Worker(name: "crawler") { try await composition.crawler.run() })
        }
        return workers
    }

    /// After a storm of connections malloc keeps what they had, as long as anything lies behind it: of 2,000, 90 MB.
    private static func giveBackMemory(_ composition: Composition) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(10))
            guard !Task.isCancelled else { return }
            if composition.connections.settled() { pando_give_back() }
        }
    }

    private static func takeStatistics(_ composition: Composition) async {
        await StatisticStore(database: composition.database, clock: composition.clock).run { error in
            composition.logger.warning("figures wait", metadata: ["error": "\(error)"])
        }
    }

    /// Partitions ahead, dead ones dropped, keys rotated when due: every ten minutes; a database that is away is tried
    /// again.
    private static func keep(_ composition: Composition) async throws {
        let invitations = InvitationStore(clock: composition.clock, randomness: composition.randomness)
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(600))
            guard !Task.isCancelled else { return }
            await tidy("partitions", composition) { try await composition.partitions.makeAhead() }
            await tidy("dead partitions", composition) { try await composition.partitions.dropDead() }
            // Nobody waits for these, and there may be much to do.
            await Database.withTimeLimit(600) {
                await tidy("keys", composition) { try await composition.keys.ensure() }
                await tidy("protocol sets", composition) {
                    try await ServiceListing.forgetSets(in: composition.database)
                }
                await tidy("changes", composition) { try await Leases.tidy(in: composition.database) }
                await tidy("replicas", composition) { try await ReadReplica.tidy(in: composition.database) }
                await tidy("audit", composition) {
                    try await AuditTally.settle(at: composition.clock.now(), in: composition.database)
                }
                let mayForget = await ClockWatch.mayForget(
                    by: composition.clock, composition.databaseClock, composition.database)
                guard mayForget else { return }
                for service in composition.hosted {
                    if let housekeeping = service.housekeeping {
                        await tidy(service.name, composition) { try await housekeeping() }
                    }
                }
                await tidy("invitations", composition) { try await invitations.forget(in: composition.database) }
                await tidy("crawled hosts", composition) { try await composition.crawler.forgetHosts() }
                await tidy("attempts", composition) {
                    try await AttemptLimit(clock: composition.clock).forget(in: composition.database)
                }
                await tidy("old lines of the audit trail", composition) {
                    _ = try await composition.auditPurge.forget()
                }
            }
        }
    }
}

extension ServerProcess {
    /// One task of housekeeping; that one waits keeps no other from its turn.
    private static func tidy(_ what: String, _ composition: Composition, _ body: () async throws -> Void) async {
        do { try await body() } catch {
            composition.logger.warning("housekeeping waits", metadata: ["what": "\(what)", "error": "\(error)"])
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
