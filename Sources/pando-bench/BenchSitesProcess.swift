import AsyncHTTPClient
import Base
import Foundation

/// The running sites: where they are, and what they were asked.
struct BenchSitesProcess: Sendable {
    let port: Int
    /// Where nobody listens.
    let closed: Int
    private let client: HTTPClient

    /// The sites live as long as `body`. They are this very program, started once more.
    static func run<Result: Sendable>(_ body: (BenchSitesProcess) async throws -> Result) async throws -> Result {
        let process = Process(), input = Pipe(), output = Pipe()
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["sites"]
        (process.standardInput, process.standardOutput) = (input, output)
        try BenchProcess.start(process)
        defer {
            try? input.fileHandleForWriting.close()
            process.terminate()
        }
        // A line, or the end.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let numbers = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 2 else { throw BenchFailure.noSites(line) }
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        do {
            let result = try await body(BenchSitesProcess(port: numbers[0], closed: numbers[1], client: client))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    func base(of site: BenchSite) -> String { "http://\(site.host):\(site.trouble == .refused ? closed : port)" }

    /// What good sites answered since this was last asked, in order.
    func asked() async throws -> [String] {
        let response = try await client.execute(
            HTTPClientRequest(url: "http://\(BenchSites.own):\(port)/asked"), timeout: .seconds(30))
        return String(buffer: try await response.body.collect(upTo: 64 << 20)).split(separator: "\n").map(String.init)
    }
}
