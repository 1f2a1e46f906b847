import Foundation

/// A process that holds the other ends of sockets, or is a bare echo: this very program, started once more. It is asked
/// a line, and answers with numbers.
struct BenchSocketsProcess: Sendable {
    /// Where the echo listens; 0 for the other kind.
    let port: Int
    private let input: FileHandle
    private let output: FileHandle

    /// Lives as long as `body`.
    static func run<Result: Sendable>(
        isEcho: Bool, _ body: (BenchSocketsProcess) async throws -> Result
    ) async throws -> Result {
        let process = Process(), input = Pipe(), output = Pipe()
        let program =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["sockets"] + (isEcho ? ["--echo"] : [])
        (process.standardInput, process.standardOutput) = (input, output)
        try BenchProcess.start(process)
        defer {
            try? input.fileHandleForWriting.close()
            process.terminate()
        }
        let (write, read) = (input.fileHandleForWriting, output.fileHandleForReading)
        let started = try await BenchSocketsProcess(port: 0, input: write, output: read).answer()
        return try await body(BenchSocketsProcess(port: Int(started.first ?? 0), input: write, output: read))
    }

    func ask(_ line: String) async throws -> [Double] {
        try input.write(contentsOf: Data((line + "\n").utf8))
        return try await answer()
    }

    /// A line that begins with `ok`; anything else is why not. Waits outside of the threads that serve.
    private func answer() async throws -> [Double] {
        let output = self.output
        let line = await withCheckedContinuation { (continuation: CheckedContinuation<String, Never>) in
            DispatchQueue.global().async {
                var text = ""
                while !text.hasSuffix("\n") {
                    let more = output.availableData
                    if more.isEmpty { break }
                    text += String(decoding: more, as: UTF8.self)
                }
                continuation.resume(returning: text)
            }
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard words.first == "ok" else { throw BenchFailure.noSockets(line.isEmpty ? "the process ended" : line) }
        return words.dropFirst().compactMap { Double($0) }
    }
}
