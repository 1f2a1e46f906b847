import ArgumentParser
import AsyncHTTPClient
import Base
import Foundation
import Server
import Tiqr

/// `pando-bench tiqr`: right answers of phones over HTTP, beside one OCRA answer, one durable commit and a bare answer
/// of the same run.
struct BenchTiqr: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiqr", abstract: "Right answers of phones.",
        discussion: "Server and load generator share this process and its cores."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions

    private static let right = "right answer of a phone"

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let pgbench = try Pgbench(conninfo: run.settings.database, folder: run.folder), seconds = load.seconds
        guard let tiqr = run.composition.product(TiqrService.self) else { throw BenchFailure.noTiqr }
        BenchProgress.say("what one OCRA answer costs")
        let threads = ProcessInfo.processInfo.activeProcessorCount, ocra = "OCRA answer, \(threads) threads"
        report.rows.append(
            BenchRow(
                name: ocra, value: try await BenchOCRA.perSecond(threads: threads, seconds: seconds), unit: .perSecond))
        BenchProgress.say("what PostgreSQL alone can do")
        let connections = run.settings.databaseConnections, commit = BenchCeilings.commits(by: connections)
        try await BenchCeilings(pgbench: pgbench, database: run.database, seconds: seconds).measureCommits(
            by: connections, &report)
        report.rows += try await run.overHTTP(clients: load.clients) { server, bare, rows in
            bare.say([#"{"responseCode":1}"#])
            let phones = BenchPhones(tiqr: tiqr, database: run.database)
            BenchProgress.say("enrolling \(BenchPhones.count) phones, and beginning authentications for them")
            let answers = BenchAnswers(
                requests: try await phones.answers(for: seconds).map { server.request($0) }, database: run.database)
            BenchProgress.say("what HTTP alone can do")
            let asking = BenchSupply.cycling([HTTPClientRequest(url: bare.urls[0])])
            rows.append(try await server.row(BenchCeilings.answer, ceiling: nil, for: seconds, asking))
            BenchProgress.say("right answers over HTTP")
            rows.append(try await server.row(BenchTiqr.right, ceiling: commit, for: seconds, answers.supply))
            try await answers.check()
        }
        report.rows += report.comparisons("right answers", BenchTiqr.right, to: [ocra, BenchCeilings.answer])
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            Load generator (AsyncHTTPClient, \(load.clients) clients, each with one request in flight), server and \
            PostgreSQL share this machine's cores; \
            HTTP/1.1 with keep-alive over 127.0.0.1, no TLS.
            """,
            """
            Before: \(BenchPhones.count) phones enrolled, and for each second measured up to \
            \(BenchPhones.abundance) authentications begun in this process. \
            Each is answered once, by the phone that it names; the answers are computed before the clock runs. A \
            measure is \(load.seconds) s after 1 s of warm-up, \
            or ends when the authentications are used up.
            """,
            """
            Counted are answers of status 200; afterwards the database must have as many authentications that were \
            answered rightly. An answer is one transaction: \
            challenge, identity, and audit trail, with one durable commit.
            """,
            """
            OCRA answer: HMAC-SHA1 over 221 bytes and its truncation, in a loop on as many threads as the server \
            has. pgbench has Debian's program, prepared statements, \
            and as many clients as the server has connections (\(run.settings.databaseConnections)).
            """,
            """
            Ratio: the value by that of the named line. Costs count prepared statements, not begin; bytes of WAL are \
            the whole server's, by the number of requests.
            """,
        ]
    }
}
