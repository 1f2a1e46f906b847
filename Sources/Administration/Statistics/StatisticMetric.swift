import Foundation

/// What is counted over time. Rows of `statistic` have these names.
public enum StatisticMetric: String, Sendable, CaseIterable {
    /// How many five minutes stand in a row's span: the measure of all states.
    case taken
    case liveTokens = "tokens.live"
    case refreshable = "tokens.refreshable"
    case issued = "tokens.issued"
    case revocations
    case logins
    case refusals
    case documents
    case servicesBehind = "events.behind"
    case eventsWaiting = "events.waiting"
    case eventsDead = "events.dead"
    case eventLag = "events.lag"

    /// Those that people look at.
    public static let shown = allCases.filter { $0 != .taken }

    /// It is the case at a moment, so that of many moments the mean is shown; of others, how often it happened.
    public var isState: Bool {
        switch self {
        case .liveTokens, .refreshable, .documents, .servicesBehind, .eventsWaiting, .eventsDead, .eventLag: true
        case .taken, .issued, .revocations, .logins, .refusals: false
        }
    }

    /// Reckoned from a sample where there is much, and exact where all of it is read.
    public var isEstimate: Bool { self == .liveTokens || self == .refreshable }

    public var unit: String {
        switch self {
        case .taken: "readings"
        case .liveTokens, .refreshable, .issued: "tokens"
        case .revocations: "revocations"
        case .logins: "logins"
        case .refusals: "refusals"
        case .documents, .servicesBehind: "services"
        case .eventsWaiting, .eventsDead: "events"
        case .eventLag: "seconds"
        }
    }
}

/// How long a row's span is.
public enum StatisticStep: Int, Sendable, CaseIterable {
    case fiveMinutes = 300
    case hour = 3_600
    case day = 86_400

    public var length: TimeInterval { TimeInterval(rawValue) }

    /// How long rows of this span are kept; then they become rows of the next one, or go.
    public var kept: TimeInterval {
        switch self {
        case .fiveMinutes: 2 * 86_400
        case .hour: 60 * 86_400
        case .day: 400 * 86_400
        }
    }

    public var next: StatisticStep? {
        switch self {
        case .fiveMinutes: .hour
        case .hour: .day
        case .day: nil
        }
    }

    public var word: String {
        switch self {
        case .fiveMinutes: "5m"
        case .hour: "hour"
        case .day: "day"
        }
    }

    public init?(word: String) {
        guard let step = StatisticStep.allCases.first(where: { $0.word == word }) else { return nil }
        self = step
    }

    /// The shortest that is kept for all of a time that began so long ago.
    public static func of(age: TimeInterval) -> StatisticStep { allCases.first { age <= $0.kept } ?? .day }

    /// When the span began that holds this moment.
    public func start(of time: Date) -> Date {
        Date(timeIntervalSince1970: (time.timeIntervalSince1970 / length).rounded(.down) * length)
    }
}
