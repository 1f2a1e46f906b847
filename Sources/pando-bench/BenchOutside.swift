import ArgumentParser
import Base
import Foundation
import HTTP
import Server

/// `pando-bench outside`: the server as it ships, in a process of its own, under wrk.
struct BenchOutside: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "outside", abstract: "The served program under wrk: tokens, checks, phones, logins.",
        discussion: "`pando serve` of the same build, wrk and PostgreSQL are processes of their own."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions
    @Option(help: ArgumentHelp("A peer, NAME=URL, to ask the same; see deploy/bench-peers.sh.", valueName: "peer"))
    var peer: [BenchPeer] = []
    @Option(
        help: ArgumentHelp(
            "The key (PEM) by which the client \(BenchPeer.signer) of a peer signs assertions, NAME=FILE.",
            valueName: "key"))
    var peerKey: [BenchPeerKey] = []
    @Option(help: ArgumentHelp("Measure only rows whose name holds this; may be repeated.", valueName: "text"))
    var only: [String] = []
    @Option(help: ArgumentHelp("Where the server's time goes in each row, a picture each.", valueName: "folder"))
    var flames: String?

    func validate() throws {
        let names = Set(peer.map(\.name))
        for key in peerKey where !names.contains(key.name) {
            throw ValidationError("--peer-key \(key.name): there is no such --peer")
        }
    }

    func offering() throws -> [Setting: String] { try ServedProcess.offering() }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let pgbench = try Pgbench(conninfo: run.settings.database, folder: run.folder)
        let wrk = try Wrk(connections: load.clients, folder: run.folder)
        BenchProgress.say("what the machine can do")
        try await BenchTokens.fillRevocations(in: run.database)
        let ceilings = BenchOutsideCeilings(pgbench: pgbench, database: run.database, seconds: load.seconds)
        try await ceilings.measure(&report)
        try await run.served(clients: load.clients, bareAnswers: 1) { server, served, bare in
            let measure = BenchOutsideRows(
                server: server, served: served, wrk: wrk, seconds: load.seconds, only: only,
                flames: flames.map { URL(fileURLWithPath: $0) }, folder: run.folder)
            try await measure.run(bare, &report)
            try await BenchPeers(
                peers: peer, keys: peerKey, wrk: wrk, client: server.load.client, seconds: load.seconds,
                isWanted: measure.isWanted
            ).measure(&report)
        }
        let plots = BenchPlots(report: report)
        report.pictures = [plots.requests] + plots.peers
    }

    func notes(of run: BenchRun) -> [String] {
        let others: [String] =
            peer.isEmpty
            ? []
            : [
                """
                Peers: each as its documentation has it, over the same PostgreSQL, with a client that has a secret \
                and, where they know private_key_jwt, one that signs with ES256; assertions are made before the \
                clock runs, and good once.
                """
            ]
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
        return own + others
    }
}
