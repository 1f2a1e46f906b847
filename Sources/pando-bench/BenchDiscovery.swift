import ArgumentParser
import AsyncHTTPClient
import Base
import Database
import Foundation
import HTTP
import Logging
import Server

/// `pando-bench discovery`: who offers these three protocols, asked of a small and of a large index, beside bare
/// answers of the same size.
struct BenchDiscovery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discovery",
        abstract: "Questions for three protocols, with 1,000 services in the index and with 100,000.",
        discussion: "Server and load generator share this process and its cores."
    )

    @OptionGroup var options: BenchOptions
    @OptionGroup var load: BenchLoadOptions
    @Option(help: ArgumentHelp("Services in the large index.", valueName: "n")) var services = 100_000

    func validate() throws {
        guard (2_000...1_000_000).contains(services) else { throw ValidationError("--services takes 2000 to 1000000") }
    }

    func run() async throws {
        try await options.run { settings, logger, registry, folder in
            try await measured(settings, logger, registry, in: folder)
        }
    }

    private func measured(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry, in folder: URL
    ) async throws -> BenchReport {
        let (composition, people, machine) = try await BenchServer.prepare(settings, logger: logger, in: folder)
        guard let version = people.versions.first, let person = people.people.first else {
            throw BenchFailure.notServing
        }
        let index = BenchServices(composition: composition), seconds = load.seconds
        var report = BenchReport(machine: try await BenchMachine.facts(composition.database), notes: notes)
        BenchProgress.say("filling the index: \(BenchServices.fewest) services")
        try await index.fillFirst()
        for size in [BenchServices.fewest, services] {
            if size > BenchServices.fewest {
                BenchProgress.say("filling the index: \(size) services")
                try await index.fill(to: size)
            }
            report.rows += try await BenchLoad.open(clients: load.clients) { generator in
                var part = BenchReport()
                let texts = Locked(["", ""])
                let bare = [0, 1].map { number in
                    Listener.Answering.document(
                        path: "/answer", type: "application/json", text: { texts.with { $0[number] } })
                }
                let listeners = [Listener.Answering.table(composition.routes())] + bare
                try await BenchListening.run(listeners, of: composition) { addresses in
                    let server = BenchServer(
                        composition: composition, registry: registry, load: generator, version: version, person: person,
                        machine: machine,
                        address: addresses[0])
                    let faces = BenchFaces(
                        server: server, seconds: seconds, size: size, person: try await BenchPerson.loggedIn(server))
                    let answers = try await faces.answers()
                    texts.with { $0 = answers }
                    try await faces.measureBare(addresses.dropFirst().map { $0 + "/answer" }, &part)
                    try await faces.measure(&part)
                }
                return part.rows
            }
        }
        report.rows += growth(report)
        await composition.database.close()
        return report
    }

    /// The rate with the large index by that with the small one.
    private func growth(_ report: BenchReport) -> [BenchRow] {
        BenchFaces.Measure.allCases.compactMap { measure in
            guard let small = report.rows.first(where: { $0.name == measure.name(of: BenchServices.fewest) }),
                small.value > 0,
                let large = report.rows.first(where: { $0.name == measure.name(of: services) })
            else { return nil }
            return BenchRow(
                name: "growth to \(services): \(measure.rawValue)", value: large.value / small.value, unit: .times)
        }
    }

    private var notes: [String] {
        let own: [String] = [
            """
            Load generator (AsyncHTTPClient, \(load.clients) clients, each with one request in flight), server and \
            PostgreSQL share this machine's cores; \
            HTTP/1.1 with keep-alive over 127.0.0.1, no TLS.
            """,
            """
            Rates count answers of status 200 in at most \(load.seconds) s after 1 s of warm-up. Proofs are signed \
            before the clock runs, and a measure ends \
            when they, or the different questions, are used up.
            """,
            """
            public: GET /federation/services?documents=true without a token. with PAT: POST /protocol-discovery with \
            DPoP; GET /user-profile stands beside it for what \
            token and proof cost by themselves. Its answer is smaller.
            """,
            """
            A question names three protocols; \(BenchServices.familySize) services offer all of them, in the small \
            index and in the large one. \
            usual: \(BenchQuestions.few) questions in turn, as a memory of answers likes them; new: no question twice.
            """,
            """
            popular: three of the twelve most frequent names, limit=\(BenchServices.familySize): thousands of \
            services of the large index would do.
            """,
            """
            Of \(BenchServices.sets + BenchServices.families) different sets of protocols few have thousands of \
            services and most have few. \
            Growth: the rate with the large index by that with the small one; flat is 1.
            """,
        ]
        return BenchOptions.notes + own
    }
}
