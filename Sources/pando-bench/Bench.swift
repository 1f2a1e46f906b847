import Administration
import ArgumentParser
import Base
import Database
import Foundation
import HTTP
import Server

/// `pando-bench …`: what is measured stands beside a peer of the same run on the same machine. Nothing is judged here.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pando-bench",
        abstract: "Measure beside the ceilings of this machine.",
        discussion:
            """
            Each wants a database that nobody has used, and fills it: `make bench` and the others of its kind make \
            one.
            """,
        subcommands: [
            BenchTree.self, BenchOutside.self, BenchTiqr.self, BenchOperations.self, BenchLiquid.self, BenchCrawl.self,
            BenchDiscovery.self, BenchGrowth.self, BenchStorm.self, BenchCores.self, BenchReach.self, BenchLocal.self,
            BenchSites.self,
            BenchSockets.self,
        ], defaultSubcommand: BenchTree.self
    )

    static func main() async {
        await ConfigurationOptions.$settings.withValue(Setting.all.map(\.name)) { await main(nil) }
    }
}

/// What every bench takes, and the frame in which it runs.
struct BenchOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions
    @Flag(help: "One JSON value on stdout and nothing else.") var json = false
    @Option(help: ArgumentHelp("The report as pictures (SVG).", valueName: "folder")) var plots: String?
    @Flag(help: "Look at these arguments, and measure nothing.") var check = false

    /// Measures, and prints the report.
    func run(_ bench: some BenchCommand) async throws {
        guard !check else { return }
        var values = try await configuration.values()
        // A refusal is logged at info, and what is measured has none.
        values.offer("warning", for: .logLevel, origin: "pando-bench")
        values.offer("true", for: .allowLoopbackServices, origin: "pando-bench")
        for (key, text) in try bench.offering() { values.offer(text, for: key, origin: "pando-bench") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "pando-bench-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let given = values
        try await Bootstrap.reporting {
            let run = try await BenchRun.prepare(try Settings(given), in: folder)
            var report = BenchReport(
                machine: try await BenchMachine.facts(run.database), notes: BenchOptions.notes + bench.notes(of: run))
            try await bench.measure(run, &report)
            await run.database.close()
            if let plots {
                let name = type(of: bench).configuration.commandName ?? "bench"
                try BenchPlots(report: report).write(named: name, to: URL(fileURLWithPath: plots))
            }
            print(json ? report.json.prettyText : report.text)
        }
    }

    private static var notes: [String] {
        #if DEBUG
        ["THIS IS A DEBUG BUILD: its numbers say nothing about Pando. `make bench` builds for release."]
        #else
        []
        #endif
    }
}

/// Of those that send load over HTTP.
struct BenchLoadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Seconds of each measure.", valueName: "n")) var seconds = 5
    @Option(help: ArgumentHelp("Clients of the load generator, each with one request in flight.", valueName: "n"))
    var clients = 32

    func validate() throws {
        guard (1...20).contains(seconds) else {
            throw ValidationError("--seconds takes 1 to 20: what is signed beforehand is good for a minute")
        }
        guard (1...256).contains(clients) else { throw ValidationError("--clients takes 1 to 256") }
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
        let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n").first {
            $0.hasPrefix("model name")
        }?.split(separator: ":").last
        var facts: JSONObject = [
            "pando": .string(Version.text), "cores": .integer(ProcessInfo.processInfo.activeProcessorCount),
        ]
        if let cpu { facts["cpu"] = .string(cpu.trimmingCharacters(in: .whitespaces)) }
        for (name, setting) in [
            ("PostgreSQL", "server_version"), ("fsync", "fsync"), ("synchronous_commit", "synchronous_commit"),
            ("wal_sync_method", "wal_sync_method"),
            ("shared_buffers", "shared_buffers"),
        ] {
            facts[name] = .string(
                try await database.query("select current_setting(\(setting)) as value").first.map { try $0("value") }
                    ?? "?")
        }
        return facts
    }
}
