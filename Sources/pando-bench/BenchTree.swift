import ArgumentParser
import Base
import Foundation
import Server

/// `pando-bench tree`: issue, check and revoke, beside what PostgreSQL and HTTP alone can do on the same machine in the
/// same run.
///
/// It measures and does not judge: no number here makes a build fail. What must hold on any machine (one row a
/// revocation, one partition a check) is tested.
struct BenchTree: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Issue, check and revoke (the default).",
        discussion: "Server and load generator share this process and its cores."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions

    private var seconds: Int { load.seconds }
    private var clients: Int { load.clients }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let pgbench = try Pgbench(conninfo: run.settings.database, folder: run.folder)
        BenchProgress.say(
            """
            filling the tree: \(BenchTokens.many) tokens, \(BenchCrowd.instances) instances, \
            \(BenchTokens.revocations) revocations
            """
        )
        let tokens = try await BenchTokens.fill(run.composition)
        let plan = try await BenchCheckPlan.traced(run.settings, finding: tokens.leaves[1])
        report.plan = try await plan.nodes(for: tokens.leaves[1], in: run.database)
        BenchProgress.say("what PostgreSQL alone can do")
        try await BenchCeilings(pgbench: pgbench, database: run.database, seconds: seconds).measure(
            tokens, plan, &report)
        BenchProgress.say("revoking")
        try await BenchRevocation(composition: run.composition, tokens: tokens).measure(&report)
        report.rows += try await run.overHTTP(clients: clients) { server, bare, rows in
            var part = BenchReport()
            let check = BenchCheck(server: server, seconds: seconds),
                introspections = try await check.introspections()
            let bytes = try await check.answer(to: introspections[0])
            bare.say([String(decoding: bytes, as: UTF8.self)])
            BenchProgress.say("what HTTP alone can do: answers of \(bytes.count) bytes")
            try await check.measureBare(bare.urls[0], &part)
            BenchProgress.say("issuing over HTTP")
            try await BenchIssue(server: server, seconds: seconds).measure(&part)
            BenchProgress.say("checking over HTTP")
            try await check.measure(introspections, &part)
            rows = part.rows
        }
    }

    func notes(of run: BenchRun) -> [String] {
        [
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
    }
}
