import Foundation

/// What is remembered of one URL. Pure: it says what to do, `RemoteKeys` does it.
struct RemoteKeySet: Sendable {
    /// Seconds a set is used without asking again.
    static let fresh: TimeInterval = 600
    /// Seconds a set is used when the peer does not answer.
    static let usable: TimeInterval = 86_400
    /// Seconds between fetches for kids that are not in the set.
    static let lookAgain: TimeInterval = 10
    /// Seconds without a new attempt after a failure.
    static let pause: TimeInterval = 5

    enum Action: Equatable {
        case serve
        case fetch
        /// The peer was dead a moment ago: answer from the last good set, and ask on the side.
        case serveAndFetch
        case refuse
    }

    private(set) var keys: [JSONWebKey] = []
    private(set) var usedAt: Date
    private var fetchedAt: Date?
    private var failedAt: Date?

    init(usedAt: Date) { self.usedAt = usedAt }

    mutating func action(isKnown: Bool, now: Date) -> Action {
        usedAt = now
        if within(RemoteKeySet.fresh, of: fetchedAt, now) {
            let asked =
                within(RemoteKeySet.lookAgain, of: fetchedAt, now) || within(RemoteKeySet.lookAgain, of: failedAt, now)
            return isKnown || asked ? .serve : .fetch
        }
        let usable = isUsable(at: now)
        if within(RemoteKeySet.pause, of: failedAt, now) { return usable ? .serve : .refuse }
        return usable && failedAt != nil && isKnown ? .serveAndFetch : .fetch
    }

    mutating func succeeded(_ keys: [JSONWebKey], at now: Date) { (self.keys, fetchedAt, failedAt) = (keys, now, nil) }

    /// True when the last good set may still be served.
    mutating func failed(at now: Date) -> Bool {
        failedAt = now
        return isUsable(at: now)
    }

    /// The last good set may still be served.
    func isUsable(at now: Date) -> Bool { within(RemoteKeySet.usable, of: fetchedAt, now) }

    /// False also for a moment in the future: a clock that was set back must not freeze the set.
    private func within(_ seconds: TimeInterval, of moment: Date?, _ now: Date) -> Bool {
        guard let moment else { return false }
        return (0..<seconds).contains(now.timeIntervalSince(moment))
    }
}
