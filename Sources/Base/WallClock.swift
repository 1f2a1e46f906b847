import Foundation

/// The time of day as a value, so that tests can set it. Whole seconds on the wire are NumericDate (RFC 7519, 2).
public struct WallClock: Sendable {
    public let now: @Sendable () -> Date

    public init(now: @escaping @Sendable () -> Date) { self.now = now }

    public static let system = WallClock { Date() }

    /// The time of day when it was first asked, and what has passed since: nobody sets it. For deadlines within a
    /// process.
    public static let steady: WallClock = {
        let begun = Date(), start = ContinuousClock.now
        return WallClock { begun + (ContinuousClock.now - start) / .seconds(1) }
    }()
}

extension Date {
    /// Seconds since the epoch, rounded down (RFC 7519 NumericDate).
    public var numericDate: Int { Int(timeIntervalSince1970.rounded(.down)) }

    public init(numericDate: Int) { self.init(timeIntervalSince1970: TimeInterval(numericDate)) }
}
