import ArgumentParser
import Base
import Foundation
import HTTP
import Server

/// `pando-bench storm`: more connections than the process serves at a time. What is refused is refused fast, who is
/// served does not wait for long, and memory goes back.
struct BenchStorm: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm", abstract: "The served program under a thousand connections, and beside idle ones.",
        discussion: "`pando serve` of the same build, wrk and PostgreSQL are processes of their own."
    )

    /// What a connection needs besides its own descriptor.
    private static let spare = 512

    @OptionGroup var options: BenchOptions
    @Option(help: ArgumentHelp("Seconds for which tokens are asked for.", valueName: "n")) var seconds = 15
    @Option(help: ArgumentHelp("Connections that ask for tokens, each with one request in flight.", valueName: "n"))
    var crowd = 1_000
    @Option(help: ArgumentHelp("Connections that ask nothing.", valueName: "n")) var idle = 10_000
    @Option(help: ArgumentHelp("Seconds of quiet, after which memory is looked at again.", valueName: "n"))
    var quiet = 60

    func validate() throws {
        guard (1...300).contains(seconds) else { throw ValidationError("--seconds takes 1 to 300") }
        guard (1...10_000).contains(crowd) else { throw ValidationError("--crowd takes 1 to 10000") }
        guard (1...100_000).contains(idle) else { throw ValidationError("--idle takes 1 to 100000") }
        guard (1...600).contains(quiet) else { throw ValidationError("--quiet takes 1 to 600") }
    }

    func offering() throws -> [Setting: String] { try ServedProcess.offering() }

    func measure(_ run: BenchRun, _ report: inout BenchReport) async throws {
        let descriptors = sysconf(Int32(_SC_OPEN_MAX))
        guard descriptors > max(crowd, idle) + BenchStorm.spare else {
            throw BenchFailure.noDescriptors(descriptors)
        }
        try await BenchTokens.fillRevocations(in: run.database)
        // It gives back what a request is called, in which stands when it was sent.
        report.rows = try await run.served(clients: 1, adding: [Setting.trustedProxy.environmentName: "true"]) {
            server, served, _ in
            try await asking(server, served, in: run.folder) + (try await holding(served))
        }
    }

    private func asking(_ server: BenchServer, _ served: ServedProcess, in folder: URL) async throws -> [BenchRow] {
        let request = server.byMachine("/token", [("grant_type", "client_credentials")])
        BenchProgress.say("warming up")
        _ = try await WrkByStatus(connections: 32, folder: folder).run(request, at: served.address, seconds: 3)
        BenchProgress.say("\(crowd) connections that ask for tokens")
        let wrk = WrkByStatus(connections: crowd, folder: folder)
        let (result, memory) = try await MemoryWatch.beside(served, pause: .seconds(quiet)) {
            try await wrk.run(request, at: served.address, seconds: seconds)
        }
        let what = "\(crowd) connections at /token"
        var rows = result.answers.map { answers in
            BenchRow(
                name: "\(what): answers \(answers.status)", value: Double(answers.count) / result.seconds,
                unit: .perSecond, p50: answers.p50, p99: answers.p99)
        }
        rows.append(BenchRow(name: "\(what): no answer", value: Double(result.failures), unit: .count))
        if result.nameless > 0 {
            rows.append(BenchRow(name: "\(what): answers unread", value: Double(result.nameless), unit: .count))
        }
        return rows + memory.rows(what, seconds: quiet)
    }

    private func holding(_ served: ServedProcess) async throws -> [BenchRow] {
        guard let port = served.address.split(separator: ":").last else { throw BenchFailure.notServing }
        BenchProgress.say("\(idle) connections that ask nothing")
        return try await BenchSocketsProcess.run(isEcho: false) { client in
            let (opened, memory) = try await MemoryWatch.beside(served, pause: .seconds(quiet)) {
                let opened = try await client.ask("hold echo \(port) \(idle)").first ?? 0
                try await Task.sleep(for: .seconds(2))
                _ = try await client.ask("drop")
                return opened
            }
            let what = "\(idle) idle connections"
            return [BenchRow(name: "\(what): opened", value: opened, unit: .count)]
                + memory.rows(what, seconds: quiet)
        }
    }

    func notes(of run: BenchRun) -> [String] {
        [
            """
            \(crowd) connections of wrk (one thread), each with one request in flight, ask for machine tokens for \
            \(seconds) s. Beyond limit-grants the answer is 503 with Retry-After, after which wrk asks again at once, \
            as nobody should. Times are from writing a request to reading the answer's end, told apart by status by a \
            script of wrk, whose own work is in them; they are exact to one per cent.
            """,
            """
            Memory is what is resident of `pando serve`, looked at ten times a second; afterwards nobody asks. \
            Idle connections send nothing, are held for two seconds once all are open, and then closed together.
            """,
        ]
    }
}
