import Foundation

/// The time of day as a value, so that tests can set it. Whole seconds on the wire are NumericDate (RFC 7519, 2).
public struct WallClock: Sendable {
    public let now: @Sendable () -> Date

    public init(now: @escaping @Sendable () -> Date) { self.now = now }

    public static let system = WallClock { Date() }
}

extension Date {
    /// Seconds since the epoch, rounded down (RFC 7519 NumericDate).
    public var numericDate: Int { Int(timeIntervalSince1970.rounded(.down)) }

    public init(numericDate: Int) { self.init(timeIntervalSince1970: TimeInterval(numericDate)) }
}
