import Foundation

/// Debian's curl on the same pages: what fetching alone costs, without finding, reading and keeping.
struct BenchCurl: Sendable {
    struct Result: Sendable {
        let seconds: Double
        /// Seconds of CPU, user and system.
        let cpu: Double
        /// Answers of any status, in time and within the limits.
        let answers: Int
    }

    private let program: URL
    private let folder: URL
    private let parallel: Int

    /// `nil` where there is no curl.
    init?(folder: URL, parallel: Int, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        guard
            let program = folders.map({ $0 + "/curl" }).first(where: {
                FileManager.default.isExecutableFile(atPath: $0)
            })
        else { return nil }
        (self.program, self.folder, self.parallel) = (URL(fileURLWithPath: program), folder, min(parallel, 300))
    }

    /// With the time limits and sizes that the crawler has.
    func fetch(_ urls: [String]) async throws -> Result {
        let list = folder.appendingPathComponent("curl.txt"), output = folder.appendingPathComponent("curl.out")
        try Data(urls.map { "url = \"\($0)\"\noutput = \"/dev/null\"\n" }.joined().utf8).write(to: list)
        let before = BenchUsage.now(), start = ContinuousClock.now
        // Its status tells of the last failure only, and some are wanted.
        _ = try await BenchProcess.run(
            program,
            [
                "--disable", "--silent", "--parallel", "--parallel-max", "\(parallel)", "--connect-timeout", "3",
                "--max-time", "10", "--location", "--max-redirs", "5",
                "--compressed", "--max-filesize", "1048576", "--noproxy", "*", "--write-out",
                "%{http_code} %{exitcode}\\n", "--config", list.path,
            ], output: output, limit: 1_800)
        let seconds = (ContinuousClock.now - start) / .seconds(1), cpu = BenchUsage.now().children - before.children
        let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n")
        return Result(
            seconds: seconds, cpu: cpu, answers: lines.count(where: { $0.hasSuffix(" 0") && !$0.hasPrefix("000") }))
    }
}
