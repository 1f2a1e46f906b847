import ArgumentParser
import AsyncHTTPClient
import Base
import Database
import Foundation
import HTTP
import Logging
import Server
import Tiqr

/// `pando-bench tiqr`: right answers of phones over HTTP, beside one OCRA answer, one durable commit and a bare answer
/// of the same run.
struct BenchTiqr: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tiqr", abstract: "Right answers of phones.",
        discussion: "Server and load generator share this process and its cores."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions

    private static let right = "right answer of a phone"

    func run() async throws {
        try await options.run { settings, logger, registry, folder in
            try await measured(settings, logger, registry, in: folder)
        }
    }

    private func measured(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry, in folder: URL
    ) async throws -> BenchReport {
        let pgbench = try Pgbench(conninfo: settings.database, folder: folder), seconds = load.seconds
        let (composition, people, machine) = try await BenchServer.prepare(settings, logger: logger, in: folder),
            database = composition.database
        guard let tiqr = composition.product(TiqrService.self) else { throw BenchFailure.noTiqr }
        guard let version = people.versions.first, let person = people.people.first else {
            throw BenchFailure.notServing
        }
        var report = BenchReport(
            machine: try await BenchMachine.facts(database), notes: notes(settings.databaseConnections))
        BenchProgress.say("what one OCRA answer costs")
        let threads = ProcessInfo.processInfo.activeProcessorCount, ocra = "OCRA answer, \(threads) threads"
        report.rows.append(
            BenchRow(
                name: ocra, value: try await BenchOCRA.perSecond(threads: threads, seconds: seconds), unit: .perSecond))
        BenchProgress.say("what PostgreSQL alone can do")
        try await BenchCeilings(pgbench: pgbench, database: database, seconds: seconds).measureCommits(
            by: settings.databaseConnections, &report)
        let commit = BenchCeilings.commits(by: settings.databaseConnections)
        report.rows += try await BenchLoad.open(clients: load.clients) { generator in
            var overHTTP: [BenchRow] = []
            let bare = Listener.Answering.document(
                path: "/answer", type: "application/json", text: { #"{"responseCode":1}"# })
            let listeners: [Listener.Answering] = [.table(composition.routes()), bare]
            try await BenchListening.run(listeners, of: composition) { addresses in
                let server = BenchServer(
                    composition: composition, registry: registry, load: generator, version: version, person: person,
                    machine: machine,
                    address: addresses[0])
                let phones = BenchPhones(tiqr: tiqr, database: database)
                BenchProgress.say("enrolling \(BenchPhones.count) phones, and beginning authentications for them")
                let answers = BenchAnswers(
                    requests: try await phones.answers(for: seconds).map { server.request($0) }, database: database)
                BenchProgress.say("what HTTP alone can do")
                let asking = BenchSupply.cycling([HTTPClientRequest(url: addresses[1] + "/answer")])
                overHTTP.append(try await server.row(BenchCeilings.answer, ceiling: nil, for: seconds, asking))
                BenchProgress.say("right answers over HTTP")
                overHTTP.append(try await server.row(BenchTiqr.right, ceiling: commit, for: seconds, answers.supply))
                try await answers.check()
            }
            return overHTTP
        }
        report.rows += report.comparisons("right answers", BenchTiqr.right, to: [ocra, BenchCeilings.answer])
        await database.close()
        return report
    }

    private func notes(_ connections: Int) -> [String] {
        let own: [String] = [
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
            and as many clients as the server has connections (\(connections)).
            """,
            """
            Ratio: the value by that of the named line. Costs count prepared statements, not begin; bytes of WAL are \
            the whole server's, by the number of requests.
            """,
        ]
        return BenchOptions.notes + own
    }
}
