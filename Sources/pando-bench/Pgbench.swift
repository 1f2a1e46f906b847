import Foundation

/// Debian's pgbench, for what PostgreSQL alone can do on this machine: custom scripts, prepared, nothing of ours in
/// between.
struct Pgbench: Sendable {
    struct Result: Sendable {
        let perSecond: Double
        /// The mean, in milliseconds: pgbench tells no percentiles without a log, and a log would cost what it
        /// measures.
        let latency: Double
    }

    private let program: String
    private let conninfo: String
    private let folder: URL

    /// `folder` takes the scripts. The newest PostgreSQL of the machine has the program, unless `POSTGRES_BIN` says
    /// where.
    init(conninfo: String, folder: URL, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let debian = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []).compactMap { Int($0) }
            .sorted(by: >)
        let folders = [environment["POSTGRES_BIN"]].compactMap(\.self) + versions.map { "\(debian)/\($0)/bin" }
        guard let program = folders.map({ $0 + "/pgbench" }).first(where: FileManager.default.isExecutableFile) else {
            throw BenchFailure.noPgbench("\(debian)/*/bin")
        }
        (self.program, self.conninfo, self.folder) = (program, conninfo, folder)
    }

    func run(_ script: String, clients: Int, seconds: Int) async throws -> Result {
        let file = folder.appendingPathComponent("pgbench.sql")
        try Data((script + "\n").utf8).write(to: file)
        let threads = min(clients, ProcessInfo.processInfo.activeProcessorCount)
        let text = try await output(
            [
                "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(threads)", "--time=\(seconds)",
                "--file=\(file.path)",
            ], limit: seconds + 20)
        guard let rate = Pgbench.number(after: "tps = ", in: text),
            let latency = Pgbench.number(after: "latency average = ", in: text)
        else { throw BenchFailure.pgbench(text) }
        return Result(perSecond: rate, latency: latency)
    }

    /// The connection string travels in `PGDATABASE`, which pgbench expands: arguments are for everyone to read.
    private func output(_ arguments: [String], limit: Int) async throws -> String {
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["PGDATABASE": conninfo, "LC_ALL": "C"]) {
            $1
        }
        (process.standardOutput, process.standardError) = (output, errors)
        let watchdog = DispatchWorkItem { process.terminate() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try BenchProcess.start(process) } catch { continuation.resume(throwing: error) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit), execute: watchdog)
        }
        watchdog.cancel()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw BenchFailure.pgbench(
                String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return text
    }

    private static func number(after words: String, in text: String) -> Double? {
        text.range(of: words).flatMap { Double(text[$0.upperBound...].prefix { $0.isNumber || $0 == "." }) }
    }
}
