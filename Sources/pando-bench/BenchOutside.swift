import ArgumentParser
import AsyncHTTPClient
import Base
import Database
import Foundation
import HTTP
import Logging
import Server

/// `pando-bench outside`: the server as it ships, in a process of its own, under wrk.
struct BenchOutside: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outside", abstract: "The served program under wrk: tokens, checks, phones, logins.",
        discussion: "`pando serve` of the same build, wrk and PostgreSQL are processes of their own."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions
    @Option(help: ArgumentHelp("A peer, NAME=URL, to ask the same; see deploy/bench-peers.sh.", valueName: "peer"))
    var peer: [BenchPeer] = []
    @Option(help: ArgumentHelp("Measure only rows whose name holds this; may be repeated.", valueName: "text"))
    var only: [String] = []
    @Option(help: ArgumentHelp("Where the server's time goes in each row, a picture each.", valueName: "folder"))
    var flames: String?
    @Option(help: ArgumentHelp("The report as pictures.", valueName: "folder"))
    var plots: String?

    func run() async throws {
        try await options.run(offering: try ServedProcess.offering()) { settings, logger, registry, folder in
            try await measured(settings, logger, registry, in: folder)
        }
    }

    private func measured(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry, in folder: URL
    ) async throws -> BenchReport {
        let pgbench = try Pgbench(conninfo: settings.database, folder: folder)
        let wrk = try Wrk(connections: load.clients, folder: folder)
        let (composition, people, machine) = try await BenchServer.prepare(settings, logger: logger, in: folder)
        guard let version = people.versions.first, let person = people.people.first else {
            throw BenchFailure.notServing
        }
        var report = BenchReport(machine: try await BenchMachine.facts(composition.database), notes: notes)
        BenchProgress.say("what the machine can do")
        try await BenchTokens.fillRevocations(in: composition.database)
        let ceilings = BenchOutsideCeilings(pgbench: pgbench, database: composition.database, seconds: load.seconds)
        try await ceilings.measure(&report)
        report.rows += try await BenchLoad.open(clients: load.clients) { generator in
            var part = report
            let answer = Locked("")
            let bare = Listener.Answering.document(
                path: "/answer", type: "application/json", text: { answer.with { $0 } })
            try await BenchListening.run([bare], of: composition, waking: false) { addresses in
                try await ServedProcess.run(settings, generator.client) { served in
                    let server = BenchServer(
                        composition: composition, registry: registry, load: generator, version: version,
                        person: person, machine: machine, address: served.address)
                    let measure = BenchOutsideRows(
                        server: server, served: served, wrk: wrk, seconds: load.seconds, only: only,
                        flames: flames.map { URL(fileURLWithPath: $0) }, folder: folder)
                    try await measure.run(bare: addresses[0], answer, &part)
                    try await BenchPeers(peers: peer, wrk: wrk, client: generator.client, seconds: load.seconds)
                        .measure(&part)
                }
            }
            return Array(part.rows.dropFirst(report.rows.count))
        }
        await composition.database.close()
        if let plots { try BenchPlots(report: report).write(to: URL(fileURLWithPath: plots)) }
        return report
    }

    private var notes: [String] {
        let own: [String] = [
            """
            wrk (one thread, \(load.clients) connections, each with one request in flight), `pando serve` and \
            PostgreSQL, each a process of its own, share this machine's cores; HTTP/1.1 with keep-alive over \
            127.0.0.1, no TLS.
            """,
            """
            A measure is \(load.seconds) s after 1 s of warm-up, or ends when what was made for it is used up: \
            assertions and proofs are signed before the clock runs. An answer other than 2xx ends the bench. \
            CPU is that of a request on average, of all threads of the server and all processes of PostgreSQL.
            """,
            """
            A ceiling of several parts takes the time of all of them: of bare answer, signature and batched insert it \
            is what would be left if nothing else cost anything. Of signatures and batches as many run as there are \
            cores.
            """,
            """
            Phones: \(BenchPhones.count) of tiqr, \(BenchApprovers.count) that approve with two factors, and as many \
            that ask what waits for them, which is nothing. Their answers, signatures and digests are good once, and \
            made before the clock runs. tiqr tells phones everything with status 200: afterwards the database must \
            have at least as many right answers as were counted.
            """,
            """
            A password login (POST /authorize/challenge, up to a code) is one Argon2id hash, of which the server makes \
            two at a time; \(BenchOutsideRows.fewConnections) connections send them at most. Its ceiling is hashes \
            alone, one on each core: the ratio is the part of a login that is its hash, where there are two cores.
            """,
        ]
        return BenchOptions.notes + own
    }
}
