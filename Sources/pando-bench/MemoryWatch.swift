import Server

/// The memory of a process beside something that takes a while: looked at ten times a second.
struct MemoryWatch: Sendable {
    /// Bytes.
    let before: Double
    let peak: Double
    let after: Double

    /// `pause` after `body`, before memory is looked at for the last time.
    static func beside<Result: Sendable>(
        _ served: ServedProcess, pause: Duration, _ body: () async throws -> Result
    ) async throws -> (Result, MemoryWatch) {
        let before = served.memory, peak = Locked(before)
        let watch = Task {
            while !Task.isCancelled {
                let now = served.memory
                peak.with { $0 = max($0, now) }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { watch.cancel() }
        let result = try await body()
        watch.cancel()
        try await Task.sleep(for: pause)
        return (result, MemoryWatch(before: before, peak: peak.with { $0 }, after: served.memory))
    }

    func rows(_ what: String, seconds: Int) -> [BenchRow] {
        [("before", before), ("at its peak", peak), ("\(seconds) s after", after)].map { when, bytes in
            BenchRow(name: "\(what): memory \(when)", value: bytes / 1_048_576, unit: .mebibytes)
        }
    }
}
