import ArgumentParser
import AsyncHTTPClient
import Base
import Foundation
import Operations
import Server

/// `pando-bench operations`: approvals and list polls of phones over HTTP, beside the computation, one durable commit
/// and bare answers of the same run.
struct BenchOperations: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "operations", abstract: "Approvals and list polls of phones.",
        discussion: "Server and load generator share this process and its cores."
    )

    /// What is asked, each by phones of its own.
    private enum Measure: String, CaseIterable {
        case approval = "approval on a phone"
        case idle = "list poll, nothing pending"
        case asked = "list poll, one pending"

        /// A bare answer with the same body.
        var bare: String { "bare answer, as to: \(rawValue)" }
    }

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions

    /// Phones of a large bank, each of which asks every seven seconds (protocols/operations.md, 1.1).
    private static let phones = 100_000, every = 7

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let pgbench = try Pgbench(conninfo: run.settings.database, folder: run.folder)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        guard run.composition.product(OperationsServices.self) != nil else { throw BenchFailure.noOperations }
        BenchProgress.say("what one signature costs")
        let signatures = BenchSignatures(threads: cores, seconds: load.seconds)
        report.rows += try await signatures.rows()
        BenchProgress.say("what PostgreSQL alone can do")
        let connections = run.settings.databaseConnections, commit = BenchCeilings.commits(by: connections)
        try await BenchCeilings(pgbench: pgbench, database: run.database, seconds: load.seconds).measureCommits(
            by: connections, &report)
        report.rows += try await run.overHTTP(clients: load.clients, bareAnswers: Measure.allCases.count) {
            server, bare, rows in
            try await measure(run, server, bare, commit, &rows)
        }
        report.rows += report.comparisons(
            "approvals", Measure.approval.rawValue,
            to: [signatures.computed, signatures.agreed, Measure.approval.bare])
        for polls in [Measure.idle, .asked] {
            report.rows +=
                report.comparisons(polls.rawValue, polls.rawValue, to: [commit]) + share(of: polls, by: cores, report)
        }
    }

    private func measure(
        _ run: BenchRun, _ server: BenchServer, _ bare: BareAnswers, _ commit: String, _ rows: inout [BenchRow]
    ) async throws {
        guard let room = run.composition.product(OperationsServices.self) else { throw BenchFailure.noOperations }
        let bank = try await BenchApprovers.prepare(room, at: server.issuer + "/services/operations", run.database)
        BenchProgress.say("activating \(2 * BenchApprovers.count) phones that ask")
        let idle = try await bank.watchers(waiting: false), asked = try await bank.watchers(waiting: true)
        bare.say([
            #"{"status":"OK"}"#, try await list(idle[0], server, has: 0), try await list(asked[0], server, has: 1),
        ])
        func add(_ name: String, _ ceiling: String?, _ supply: BenchSupply) async throws {
            rows.append(try await server.row(name, ceiling: ceiling, for: load.seconds, supply))
        }
        BenchProgress.say("what HTTP alone can do")
        for (measure, url) in zip(Measure.allCases, bare.urls) {
            try await add(measure.bare, nil, .cycling([HTTPClientRequest(url: url)]))
        }
        BenchProgress.say("list polls over HTTP")
        try await add(Measure.idle.rawValue, Measure.idle.bare, polls(idle, server))
        try await add(Measure.asked.rawValue, Measure.asked.bare, polls(asked, server))
        BenchProgress.say("activating \(BenchApprovers.count) phones, and beginning operations for them")
        let approvals = BenchSupply(try await bank.approvals(for: load.seconds).map { server.request($0) })
        BenchProgress.say("approvals over HTTP")
        try await add(Measure.approval.rawValue, commit, approvals)
    }

    /// Each poll with a nonce and a digest of its own, made when it is sent.
    private func polls(_ watchers: [BenchApprovers.Watcher], _ server: BenchServer) -> BenchSupply {
        BenchSupply { number in
            let one = watchers[number % watchers.count]
            return server.request(one.phone.list(one.token))
        }
    }

    /// The text of a list that is as long as it must be.
    private func list(_ one: BenchApprovers.Watcher, _ server: BenchServer, has count: Int) async throws -> String {
        let exchange = try await server.send(one.phone.list(one.token)).good()
        guard exchange.body["responseObject"]?.array?.count == count else { throw BenchFailure.emptyList }
        return exchange.body.text
    }

    /// What one core carries of all those phones: the measured rate, by the cores that server, load and PostgreSQL
    /// share, by the rate at which they ask.
    private func share(of polls: Measure, by cores: Int, _ report: BenchReport) -> [BenchRow] {
        guard let rate = report.value(of: polls.rawValue) else { return [] }
        let wanted = Double(BenchOperations.phones) / Double(BenchOperations.every)
        return [
            BenchRow(
                name: "one core, of \(String(format: "%.0f", wanted))/s: \(polls.rawValue)",
                value: rate / Double(max(1, cores)) / wanted, unit: .times)
        ]
    }

    func notes(of run: BenchRun) -> [String] {
        let wanted = String(format: "%.0f", Double(BenchOperations.phones) / Double(BenchOperations.every))
        return [
            """
            Load generator (AsyncHTTPClient, \(load.clients) clients, each with one request in flight), server and \
            PostgreSQL share this machine's cores; \
            HTTP/1.1 with keep-alive over 127.0.0.1, no TLS.
            """,
            """
            Before: \(3 * BenchApprovers.count) phones activated, and for each second measured up to \
            \(BenchApprovers.abundance) operations begun in this process. \
            Each is approved once, with two factors, by the one phone whose user it is for; signatures are made \
            before the clock runs, since a phone's counter moves \
            with each. A measure is \(load.seconds) s after 1 s of warm-up, or ends when the operations are used up.
            """,
            """
            A poll is POST …/operation/list with a token; its nonce and digest are fresh and made when it is sent, \
            by the same cores. The server remembers each nonce \
            with one durable commit, so that none works twice. Only answers of status 200 count, and any other ends \
            the bench: a refusal has another status.
            """,
            """
            One core, of \(wanted)/s: \(BenchOperations.phones) phones that ask every \(BenchOperations.every) s; \
            the measured rate divided by this machine's cores, \
            load generator and PostgreSQL included, by that number. Its inverse is how many such cores they take.
            """,
            """
            Signature computation: possession and knowledge, five HMAC-SHA256 and a comparison, by keys that are \
            there; with key agreement: ECDH over P-256 and the \
            derivation of all keys before each, as the server does. pgbench has Debian's program, prepared \
            statements, and as many clients as the server has \
            connections (\(run.settings.databaseConnections)).
            """,
            """
            Ratio: the value by that of the named line. Costs count prepared statements, not begin; bytes of WAL are \
            the whole server's, by the number of requests.
            """,
        ]
    }
}
