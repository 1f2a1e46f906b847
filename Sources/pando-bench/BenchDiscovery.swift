import ArgumentParser
import Base
import Foundation
import Server

/// `pando-bench discovery`: who offers these three protocols, asked of a small and of a large index, beside bare
/// answers of the same size.
struct BenchDiscovery: BenchCommand {
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

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let index = BenchServices(composition: run.composition), seconds = load.seconds
        BenchProgress.say("filling the index: \(BenchServices.fewest) services")
        try await index.fillFirst()
        for size in [BenchServices.fewest, services] {
            if size > BenchServices.fewest {
                BenchProgress.say("filling the index: \(size) services")
                try await index.fill(to: size)
            }
            report.rows += try await run.overHTTP(clients: load.clients, bareAnswers: 2) { server, bare, rows in
                var part = BenchReport()
                let faces = BenchFaces(
                    server: server, seconds: seconds, size: size, person: try await BenchPerson.loggedIn(server))
                bare.say(try await faces.answers())
                try await faces.measureBare(bare.urls, &part)
                try await faces.measure(&part)
                rows = part.rows
            }
        }
        report.rows += growth(report)
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

    func notes(of run: BenchRun) -> [String] {
        [
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
    }
}
