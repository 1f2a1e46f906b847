import Foundation

/// What a service asks for of its stored events (docs/events.md, "What was missed").
public struct StoredEventsQuery: Sendable {
    /// Only those whose number is above it.
    public let after: Int
    /// Only those that were made then or later.
    public let since: Date?
    /// At most so many, 1 to `EventPolls.mostStored`.
    public let limit: Int
    /// Seconds for which the answer may be held while there is nothing above `after`; at most
    /// `EventPolls.longestWait`.
    public let wait: Int?

    public init(after: Int = 0, since: Date? = nil, limit: Int = 100, wait: Int? = nil) {
        (self.after, self.since, self.limit) = (after, since, limit)
        self.wait = wait.map { min($0, EventPolls.longestWait) }
    }
}
