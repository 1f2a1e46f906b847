import ArgumentParser
import Base
import Database
import Foundation
import HTTP
import Logging
import Server

/// `pando-bench tree`: issue, check and revoke, beside what PostgreSQL and HTTP alone can do on the same machine in the
/// same run.
///
/// It measures and does not judge: no number here makes a build fail. What must hold on any machine (one row a
/// revocation, one partition a check) is tested.
struct BenchTree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Issue, check and revoke (the default).",
        discussion: "Server and load generator share this process and its cores."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions

    private var seconds: Int { load.seconds }
    private var clients: Int { load.clients }

    func run() async throws {
        try await options.run { settings, logger, registry, folder in
            try await measured(settings, logger, registry, in: folder)
        }
    }

    private func measured(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry, in folder: URL
    ) async throws -> BenchReport {
        let pgbench = try Pgbench(conninfo: settings.database, folder: folder)
        BenchProgress.say(
            """
            filling the tree: \(BenchTokens.many) tokens, \(BenchCrowd.instances) instances, \
            \(BenchTokens.revocations) revocations
            """
        )
        let (composition, people, machine) = try await BenchServer.prepare(settings, logger: logger, in: folder)
        let database = composition.database
        guard let version = people.versions.first, let person = people.people.first else {
            throw BenchFailure.notServing
        }
        let tokens = try await BenchTokens.fill(composition)
        let plan = try await BenchCheckPlan.traced(settings, finding: tokens.leaves[1])
        var report = BenchReport(machine: try await BenchMachine.facts(database), notes: notes)
        report.plan = try await plan.nodes(for: tokens.leaves[1], in: database)
        BenchProgress.say("what PostgreSQL alone can do")
        try await BenchCeilings(pgbench: pgbench, database: database, seconds: seconds).measure(tokens, plan, &report)
        BenchProgress.say("revoking")
        try await BenchRevocation(composition: composition, tokens: tokens).measure(&report)
        report.rows += try await BenchLoad.open(clients: clients) { load in
            var overHTTP = BenchReport()
            let answer = Locked("")
            let listeners: [Listener.Answering] = [
                .table(composition.routes()),
                .document(path: "/answer", type: "application/json", text: { answer.with { $0 } }),
            ]
            try await BenchListening.run(listeners, of: composition) { addresses in
                let server = BenchServer(
                    composition: composition, registry: registry, load: load, version: version, person: person,
                    machine: machine, address: addresses[0])
                let check = BenchCheck(server: server, seconds: seconds),
                    introspections = try await check.introspections()
                let bytes = try await check.answer(to: introspections[0])
                answer.with { $0 = String(decoding: bytes, as: UTF8.self) }
                BenchProgress.say("what HTTP alone can do: answers of \(bytes.count) bytes")
                try await check.measureBare(addresses[1] + "/answer", &overHTTP)
                BenchProgress.say("issuing over HTTP")
                try await BenchIssue(server: server, seconds: seconds).measure(&overHTTP)
                BenchProgress.say("checking over HTTP")
                try await check.measure(introspections, &overHTTP)
            }
            return overHTTP.rows
        }
        await database.close()
        return report
    }

    private var notes: [String] {
        let own: [String] = [
            """
            Load generator (AsyncHTTPClient, \(clients) clients, each with one request in flight), server and \
            PostgreSQL share this machine's cores; HTTP/1.1 with keep-alive over 127.0.0.1, no TLS.
            """,
            """
            Rates count answers of status 200 in \(seconds) s after 1 s of warm-up. Assertions and proofs are signed \
            before the clock runs. pgbench has Debian's program, prepared statements and 8 clients.
            """,
            """
            Ratio: the value by that of the named line; of times and bytes less is better. Costs count prepared \
            statements, not begin; bytes of WAL are the whole server's, by the number of requests.
            """,
            """
            Before: \(BenchTokens.many) live tokens, \(BenchCrowd.instances) instances and \
            \(BenchTokens.revocations) revocations, all analysed. Revocations are calls in this process, one after \
            the other; the value is the median of \(BenchRevocation.rounds).
            """,
        ]
        return BenchOptions.notes + own
    }
}
