/// Exponential, with jitter, so that processes which lost the server together do not come back together.
struct Backoff: Sendable {
    private(set) var failures = 0
    private let longest: Int

    /// `longest`: in milliseconds.
    init(longest: Int = 5000) { self.longest = longest }

    /// The wait before the next attempt: between half and all of 100 ms doubled per failure, up to `longest`.
    mutating func next() -> Duration {
        failures += 1
        let ceiling = min(longest, 100 << min(failures - 1, 6))
        return .milliseconds(Int.random(in: ceiling / 2...ceiling))
    }

    mutating func succeeded() { failures = 0 }
}
