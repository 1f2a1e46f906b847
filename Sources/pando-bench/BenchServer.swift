import AsyncHTTPClient
import Base
import Database
import Foundation
import HTTP
import Liquid
import NIOCore
import Operations
import PandoClient
import Server
import ServiceLifecycle
import Simulators
import Tiqr

/// The server under measurement, in this process: the whole surface of `pando serve`, on a free port of 127.0.0.1.
/// Neither the crawler nor the event sender runs.
struct BenchServer: Sendable {
    let run: BenchRun
    let load: BenchLoad
    /// `http://127.0.0.1:PORT`.
    let address: String

    var composition: Composition { run.composition }
    var registry: PrometheusRegistry { run.registry }
    var version: DemoCredentials.Version { run.version }
    var person: DemoCredentials.Person { run.person }
    var machine: String { run.machine }
    var issuer: String { composition.settings.root }

    // MARK: Requests

    /// The request as a phone would send it, at the address where the server listens. Its proofs name the issuer, and
    /// are right.
    func request(_ demo: DemoRequest) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: here(demo.url))
        request.method = .init(rawValue: demo.method)
        for header in demo.headers { request.headers.add(name: header.name, value: header.value) }
        if let type = demo.contentType, let text = demo.bodyText {
            request.headers.add(name: "Content-Type", value: type)
            request.body = .bytes(ByteBuffer(string: text))
        }
        return request
    }

    /// A form that the machine sends.
    func byMachine(_ path: String, _ form: [(String, String)]) -> DemoRequest {
        DemoRequest(
            method: "POST", url: issuer + path, headers: [("Authorization", "Basic \(machine)")], body: .form(form))
    }

    /// For requests of PandoClient outside all measures, at the address where the server listens.
    var transport: Transport {
        let network = Transport.asyncHTTPClient(load.client)
        return Transport { request in
            let url = here(request.url)
            return try await network.send(
                Transport.Request(method: request.method, url: url, headers: request.headers, body: request.body))
        }
    }

    /// One request outside all measures.
    func send(_ demo: DemoRequest) async throws -> DemoExchange {
        try await DemoWire(client: load.client).send(
            DemoRequest(method: demo.method, url: here(demo.url), headers: demo.headers, body: demo.body))
    }

    private func here(_ url: String) -> String { url.hasPrefix(issuer) ? address + url.dropFirst(issuer.count) : url }

    // MARK: Measuring

    /// A measure of the load generator, with what each request cost the database.
    func row(_ name: String, ceiling: String?, for seconds: Int, _ supply: BenchSupply) async throws -> BenchRow {
        let begun = Locked(BenchCounters())
        let samples = try await load.measure(for: Double(seconds), supply) {
            let counters = try await BenchCounters(registry, composition.database)
            begun.with { $0 = counters }
        }
        let ended = try await BenchCounters(registry, composition.database)
        return BenchRow(
            name: name, value: samples.perSecond, unit: .perSecond, p50: samples.percentile(50),
            p99: samples.percentile(99), ceiling: ceiling,
            cost: ended.cost(since: begun.with { $0 }, requests: samples.count))
    }
}

/// What has been asked of the database since the process began: our own counters, and PostgreSQL's position in its log.
struct BenchCounters: Sendable {
    private var statements = 0.0
    private var roundTrips = 0.0
    private var position = 0.0

    init() {}

    init(_ registry: PrometheusRegistry, _ database: Database) async throws {
        try await self.init(page: registry.page, database)
    }

    /// `page` is that of the metrics.
    init(page: String, _ database: Database) async throws {
        position = try await BenchWAL.bytes(since: "0/0", database)
        for line in page.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Double(words[1]) else { continue }
            switch words[0] {
            case "pando_db_statements_total": statements = value
            case "pando_db_statement_duration_seconds_count": roundTrips = value
            default: break
            }
        }
    }

    func cost(since start: BenchCounters, requests: Int) -> BenchCost {
        let count = Double(max(1, requests))
        return BenchCost(
            statements: (statements - start.statements) / count, roundTrips: (roundTrips - start.roundTrips) / count,
            walBytes: (position - start.position) / count)
    }
}

/// Listeners that live as long as a closure, and beside them what keeps signing keys and answers of discovery in memory
/// and wakes those who wait for a phone.
enum BenchListening {
    /// `body` gets the address of each, in the order given. Without `waking`, nobody here waits for a phone: each
    /// answer of one notifies all who listen, which another server's measure must not pay for.
    static func run(
        _ answering: [Listener.Answering], of composition: Composition, waking: Bool = true,
        _ body: ([String]) async throws -> Void
    ) async throws {
        let gates = answering.map { _ in AsyncStream<Int>.makeStream() }
        var services: [any Service] = [
            Worker(name: "keys") { await composition.keys.watch() },
            Worker(name: "discovery") { await composition.discovery.watch() },
        ]
        if waking, let tiqr = composition.product(TiqrService.self) {
            services.append(Worker(name: "tiqr changes") { await tiqr.changes.run(on: composition.database) })
        }
        if waking, let board = composition.product(OperationsServices.self)?.operations.changes {
            services.append(Worker(name: "operations changes") { await board.run(on: composition.database) })
        }
        if let liquid = composition.product(LiquidService.self) {
            services.append(Worker(name: "signalling") { await liquid.signalling.run() })
        }
        for (answers, gate) in zip(answering, gates) {
            services.append(
                Listening(
                    listener: Listener(address: "127.0.0.1", port: 0, answering: answers, logger: composition.logger) {
                        gate.continuation.yield($0)
                    }))
        }
        let server = ServiceGroup(services: services, logger: composition.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { for gate in gates { gate.continuation.finish() } }
                try await server.run()
            }
            var addresses: [String] = []
            for gate in gates {
                guard let port = await gate.stream.first(where: { $0 > 0 }) else { throw BenchFailure.notServing }
                addresses.append("http://127.0.0.1:\(port)")
            }
            try await body(addresses)
            await server.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }
}
