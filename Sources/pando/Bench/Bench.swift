import ArgumentParser
import Base
import Database
import Foundation
import Logging
import Routes

/// `pando bench`: issue, check and cut, beside what PostgreSQL and HTTP alone can do on the same machine in the same run.
///
/// It measures and does not judge: no number here makes a build fail. What must hold on any machine (one row a cut, one partition a check) is tested.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure issue, check and cut, beside the ceilings of this machine.",
        discussion: "Wants a database that nobody has used, and fills it: `make bench` makes one. Server and load generator share this process and its cores."
    )

    @OptionGroup var options: ConfigurationOptions
    @Option(help: ArgumentHelp("Seconds of each measure.", valueName: "n")) var seconds = 5
    @Option(help: ArgumentHelp("Clients of the load generator, each with one request in flight.", valueName: "n")) var clients = 32
    @Flag(help: "One JSON value on stdout and nothing else.") var json = false

    func validate() throws {
        guard (1...20).contains(seconds) else { throw ValidationError("--seconds takes 1 to 20: what is signed beforehand is good for a minute") }
        guard (1...256).contains(clients) else { throw ValidationError("--clients takes 1 to 256") }
    }

    func run() async throws {
        var values = try await options.values()
        // A refusal is logged at info, and what is measured has none.
        values.offer("warning", for: .logLevel, origin: "pando bench")
        values.offer("true", for: .allowLoopbackServices, origin: "pando bench")
        let settings = try Settings(values), logger = Bootstrap.logging(settings), registry = Bootstrap.metrics()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pando-bench-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Bootstrap.reporting {
            let report = try await measured(settings, logger, registry, in: folder)
            print(json ? report.json.prettyText : report.text)
        }
    }

    private func measured(_ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry, in folder: URL) async throws -> BenchReport {
        let pgbench = try Pgbench(conninfo: settings.database, folder: folder)
        BenchProgress.say("filling the tree: \(BenchTokens.many) tokens, \(BenchCrowd.instances) instances, \(BenchTokens.cuts) cuts")
        let (composition, people, machine) = try await BenchHouse.prepare(settings, logger: logger, in: folder)
        let database = composition.database
        guard let version = people.versions.first, let person = people.people.first else { throw BenchFailure.notServing }
        let tokens = try await BenchTokens.fill(composition)
        let plan = try await BenchCheckPlan.traced(settings, finding: tokens.leaves[1])
        var report = BenchReport(machine: try await BenchMachine.facts(database), notes: notes)
        report.plan = try await plan.nodes(for: tokens.leaves[1], in: database)
        BenchProgress.say("what PostgreSQL alone can do")
        try await BenchCeilings(pgbench: pgbench, database: database, seconds: seconds).measure(tokens, plan, &report)
        BenchProgress.say("cutting")
        try await BenchCut(composition: composition, tokens: tokens).measure(&report)
        report.rows += try await BenchLoad.open(clients: clients) { load in
            var overHTTP = BenchReport()
            let answer = Locked("")
            let listeners: [Listener.Answering] = [.table(composition.routes()), .document(path: "/answer", type: "application/json", text: { answer.with { $0 } })]
            try await BenchListening.run(listeners, of: composition) { addresses in
                let house = BenchHouse(composition: composition, registry: registry, load: load, version: version, person: person, machine: machine, address: addresses[0])
                let check = BenchCheck(house: house, seconds: seconds), introspections = try await check.introspections()
                let bytes = try await check.answer(to: introspections[0])
                answer.with { $0 = String(decoding: bytes, as: UTF8.self) }
                BenchProgress.say("what HTTP alone can do: answers of \(bytes.count) bytes")
                try await check.measureBare(addresses[1] + "/answer", &overHTTP)
                BenchProgress.say("issuing over HTTP")
                try await BenchIssue(house: house, seconds: seconds).measure(&overHTTP)
                BenchProgress.say("checking over HTTP")
                try await check.measure(introspections, &overHTTP)
            }
            return overHTTP.rows
        }
        await database.close()
        return report
    }

    private var notes: [String] {
        var notes = [
            "Load generator (AsyncHTTPClient, \(clients) clients, each with one request in flight), server and PostgreSQL share this machine's cores; HTTP/1.1 with keep-alive over 127.0.0.1, no TLS.",
            "Rates count answers of status 200 in \(seconds) s after 1 s of warm-up. Assertions and proofs are signed before the clock runs. pgbench has Debian's program, prepared statements and 8 clients.",
            "Ratio: the value by that of the named line; of times and bytes less is better. Costs count prepared statements, not begin; bytes of WAL are the whole server's, by the number of requests.",
            "Before: \(BenchTokens.many) live tokens, \(BenchCrowd.instances) instances and \(BenchTokens.cuts) cuts, all analysed. Cuts are calls in this process, one after the other; the value is the median of \(BenchCut.rounds).",
        ]
        #if DEBUG
        notes.insert("THIS IS A DEBUG BUILD: its numbers say nothing about Pando. `make bench` builds for release.", at: 0)
        #endif
        return notes
    }
}

/// Where the run is, on stderr.
enum BenchProgress {
    static func say(_ text: String) { FileHandle.standardError.write(Data("bench: \(text)\n".utf8)) }

    /// Makes up to `count` things, as many as fit into `limit`.
    static func making<Thing>(_ count: Int, within limit: Duration, _ make: () throws -> Thing) throws -> [Thing] {
        let deadline = ContinuousClock.now + limit
        var things: [Thing] = []
        while things.count < count, ContinuousClock.now < deadline { things.append(try make()) }
        return things
    }
}

/// What the numbers were measured on.
enum BenchMachine {
    static func facts(_ database: Database) async throws -> JSONObject {
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        var facts: JSONObject = ["pando": .string(Version.text), "cores": .integer(ProcessInfo.processInfo.activeProcessorCount)]
        if let cpu { facts["cpu"] = .string(cpu.trimmingCharacters(in: .whitespaces)) }
        for (name, setting) in [("PostgreSQL", "server_version"), ("fsync", "fsync"), ("synchronous_commit", "synchronous_commit"), ("wal_sync_method", "wal_sync_method"),
                                ("shared_buffers", "shared_buffers")] {
            facts[name] = .string(try await database.query("select current_setting(\(setting)) as value").first.map { try $0("value") } ?? "?")
        }
        return facts
    }
}
