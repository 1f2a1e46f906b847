import ArgumentParser
import Base
import Foundation
import HTTP
import Server

/// `pando-bench growth`: what becomes of the figures when there is more: tokens, tokens below what is revoked, and
/// processes that must know of it.
struct BenchGrowth: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth", abstract: "The served program with more tokens, and with more replicas.",
        discussion: "`pando serve` of the same build, wrk and PostgreSQL are processes of their own."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions
    @Option(help: ArgumentHelp("Live tokens, least first.", valueName: "n,n,…"))
    var tokens = BenchSizes([10_000, 100_000, 1_000_000, 10_000_000])
    @Option(help: ArgumentHelp("Live tokens below what is revoked, least first.", valueName: "n,n,…"))
    var below = BenchSizes([1, 1_000, 1_000_000])
    @Option(help: ArgumentHelp("Processes of `pando serve`, least first.", valueName: "n,n,…"))
    var replicas = BenchSizes([1, 2, 4])

    func validate() throws {
        guard tokens.values.allSatisfy({ (2_000...100_000_000).contains($0) }) else {
            throw ValidationError("--tokens takes 2000 to 100000000: some thousands are asked for once each")
        }
        guard below.values.allSatisfy({ $0 <= 10_000_000 }) else {
            throw ValidationError("--below takes 1 to 10000000")
        }
        guard replicas.values.allSatisfy({ $0 <= 16 }) else { throw ValidationError("--replicas takes 1 to 16") }
    }

    func offering() throws -> [Setting: String] { try ServedProcess.offering() }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let wrk = try Wrk(connections: load.clients, folder: run.folder)
        let one = try Wrk(connections: 1, folder: run.folder), others = try await beside(run.settings)
        try await BenchTokens.fillRevocations(in: run.database)
        let figures = try await run.served(clients: load.clients) { server, served, _ in
            func probe(_ wrk: Wrk) -> BenchGrowthProbe {
                BenchGrowthProbe(server: server, served: served, wrk: wrk, seconds: load.seconds)
            }
            let copies = try await BenchGrowthTokens.sampled(server)
            var figures = BenchGrowthFigures()
            try await BenchGrowthRows(probe: probe(wrk), tokens: copies).measure(tokens.values, &figures)
            try await BenchGrowthRevocation(composition: run.composition, tokens: copies).measure(
                below.values, &figures)
            try await BenchGrowthReplicas(probe: probe(one), tokens: copies, others: others).measure(
                replicas.values, &figures)
            return figures
        }
        report.rows = figures.rows
        report.pictures = [BenchGrowthPlot(figures: figures).picture]
    }

    /// Settings of further processes with the same issuer and database, each on ports of its own.
    private func beside(_ settings: Settings) async throws -> [Settings] {
        let count = (replicas.values.last ?? 1) - 1
        let ports = try FreePort.take(2 * count), values = try await options.configuration.values()
        return try (0..<count).map { number in
            var own = values
            let offers: [Setting: String] = [
                .issuer: settings.root, .port: "\(ports[2 * number])", .metricsPort: "\(ports[2 * number + 1])",
                .allowLoopbackServices: "true",
            ]
            for (key, text) in offers { own.offer(text, for: key, origin: "pando-bench") }
            let made = try Settings(own)
            guard made.port != settings.port else {
                throw ValidationError("for several replicas the bench chooses the ports: leave port unset")
            }
            return made
        }
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            wrk (one thread, \(load.clients) connections, each with one request in flight), `pando serve` and \
            PostgreSQL, each a process of its own, share this machine's cores; HTTP/1.1 with keep-alive over \
            127.0.0.1, no TLS. Ratio: the value by that of the smallest size; of times and bytes less is better.
            """,
            """
            Tokens: copies of a machine's token that was issued, of its shape, spread evenly over the partitions that \
            begin more than a day from now; the table was vacuumed and analysed. A measure is \(load.seconds) s, or \
            ends when its tokens are used up. What a size issues and revokes is deleted before the next one. "First of \
            a token" asks for each token once, in no order, of those that came with this size: none is in memory. The \
            same tokens are then revoked.
            """,
            """
            Revocations above many tokens are calls in this process as those of `pando admin`, with nobody to wait \
            for; the value is the median of \(BenchGrowthRevocation.rounds), each undone by hand.
            """,
            """
            Replicas: all are asked ten times a second, and so have a lease. Revocations go to the first, one after \
            the other; the value is the median, and server µs are the first one's. What is called rows has seen \
            everything (`replica`): they cost the look at them, and none of what a process does.
            """,
            """
            A stopped replica (SIGSTOP) does not answer, and its lease has to end: the median of \
            \(BenchGrowthReplicas.stops), and in p99 the longest.
            """,
        ]
    }
}

/// Numbers in an option, which grow.
struct BenchSizes: ExpressibleByArgument, Sendable {
    let values: [Int]

    init(_ values: [Int]) { self.values = values }

    init?(argument: String) {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let values = words.compactMap { Int($0) }
        guard values.count == words.count, values.allSatisfy({ $0 > 0 }), zip(values, values.dropFirst()).allSatisfy(<)
        else { return nil }
        self.init(values)
    }

    var defaultValueDescription: String { values.map(String.init).joined(separator: ",") }

    /// `10^6` for a million.
    static func text(_ size: Int) -> String {
        let digits = String(size)
        let isPower = size >= 1_000 && digits.first == "1" && digits.dropFirst().allSatisfy { $0 == "0" }
        return isPower ? "10^\(digits.count - 1)" : digits
    }

    /// `1 token`, `10^6 tokens`.
    static func text(_ size: Int, of thing: String) -> String { "\(text(size)) \(thing)\(size == 1 ? "" : "s")" }
}
