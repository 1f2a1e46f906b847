import Foundation

/// How long a row of an outbox waits before it is tried again: doubling with each failure, with a random part, so that
/// those who failed together do not come back together. Beside `Backoff`, which is for connections and keeps its count
/// itself: here the row has it.
public struct RetryPause: Sendable {
    private let first: TimeInterval
    private let longest: TimeInterval

    public init(first: TimeInterval, longest: TimeInterval) { (self.first, self.longest) = (first, longest) }

    /// Within a quarter of `first`, doubled for each of `failures`, and at most about `longest`.
    public func after(_ failures: Int) -> TimeInterval {
        min(longest, first * pow(2, Double(min(max(failures, 0), 30)))) * Double.random(in: 0.75...1.25)
    }
}
