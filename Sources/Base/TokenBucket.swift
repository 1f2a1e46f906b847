import Foundation

/// Fills at `rate` a second up to `burst`; every act takes what it costs.
public struct TokenBucket: Sendable {
    private var level: Double
    private var filledAt: Date

    public init(full burst: Double, at now: Date) { (level, filledAt) = (burst, now) }

    /// What costs more than it holds is let through when it is full, and owed from then on.
    public mutating func take(_ cost: Double = 1, burst: Double, rate: Double, at now: Date) -> Bool {
        level = reached(burst, rate, now)
        filledAt = now
        guard level >= min(cost, burst) else { return false }
        level -= cost
        return true
    }

    /// Seconds until it has one again.
    public func wait(rate: Double) -> TimeInterval { max(0.05, (1 - level) / max(rate, 0.001)) }

    /// Whole ones that are there.
    public func remaining(burst: Double, rate: Double, at now: Date) -> Int {
        max(0, Int(reached(burst, rate, now)))
    }

    /// For what turned out not to count.
    public mutating func giveBack(_ cost: Double = 1, burst: Double) { level = min(burst, level + cost) }

    public func isFull(burst: Double, rate: Double, at now: Date) -> Bool { reached(burst, rate, now) >= burst }

    private func reached(_ burst: Double, _ rate: Double, _ now: Date) -> Double {
        min(burst, level + max(0, now.timeIntervalSince(filledAt)) * rate)
    }
}

/// Buckets by name, all of one size. Full ones are forgotten now and then; there are never more than `most`, and then
/// an arbitrary one makes room.
public struct BucketTable<Name: Hashable & Sendable>: Sendable {
    public static var most: Int { 10_000 }
    private var buckets: [Name: TokenBucket] = [:]
    private var sweptAt = Date.distantPast

    public init() {}

    public var count: Int { buckets.count }

    /// `nil` when it was taken, otherwise the seconds after which it is worth asking again.
    public mutating func take(
        _ name: Name, _ cost: Double = 1, burst: Double, rate: Double, at now: Date
    ) -> TimeInterval? {
        if now.timeIntervalSince(sweptAt) > burst / max(rate, 0.001) {
            sweptAt = now
            buckets = buckets.filter { !$0.value.isFull(burst: burst, rate: rate, at: now) }
        }
        if buckets[name] == nil, buckets.count >= BucketTable.most { buckets.remove(at: buckets.startIndex) }
        var bucket = buckets[name] ?? TokenBucket(full: burst, at: now)
        let isTaken = bucket.take(cost, burst: burst, rate: rate, at: now)
        buckets[name] = bucket
        return isTaken ? nil : bucket.wait(rate: rate)
    }

    /// As `take`, and nothing is taken.
    public func wait(_ name: Name, burst: Double, rate: Double, at now: Date) -> TimeInterval? {
        guard var bucket = buckets[name] else { return nil }
        return bucket.take(burst: burst, rate: rate, at: now) ? nil : bucket.wait(rate: rate)
    }
}
