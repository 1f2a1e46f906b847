import Base
import Foundation

/// One figure over time: a value for each span, `nil` where nothing was read.
public struct StatisticSeries: Sendable {
    public struct Name: Hashable, Comparable, Sendable {
        public let metric: StatisticMetric
        public let label: String

        public init(metric: StatisticMetric, label: String) { (self.metric, self.label) = (metric, label) }

        public static func < (one: Self, other: Self) -> Bool {
            (one.metric.rawValue, one.label) < (other.metric.rawValue, other.label)
        }
    }

    public let name: Name
    public let since: Date
    public let step: StatisticStep
    public let values: [Double?]

    public init(_ name: Name, since: Date, step: StatisticStep, values: [Double?]) {
        (self.name, self.since, self.step, self.values) = (name, since, step, values)
    }

    public var latest: Double? { values.last { $0 != nil } ?? nil }

    /// Of what happened, all of it.
    public var sum: Double { values.compactMap(\.self).reduce(0, +) }

    /// One character for each of at most `width` parts of the time, by the highest value of each; a blank where nothing
    /// is known.
    public func trend(width: Int = 40) -> String {
        let size = max(1, (values.count + width - 1) / width)
        let parts: [Double?] = stride(from: 0, to: values.count, by: size).map { first in
            values[first..<min(first + size, values.count)].compactMap(\.self).max()
        }
        let most = parts.compactMap(\.self).max() ?? 0
        return String(
            parts.map { part -> Character in
                guard let part else { return " " }
                guard most > 0 else { return StatisticSeries.bars[0] }
                return StatisticSeries.bars[min(7, Int((part / most * 7).rounded()))]
            })
    }

    private static let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// The series is an object, so that a table for people leaves it out, whose `trend` tells as much.
    public var json: JSONValue {
        let metric = name.metric
        return [
            "metric": .string(metric.rawValue), "label": .string(name.label), "unit": .string(metric.unit),
            "is_estimate": .bool(metric.isEstimate), "latest": StatisticSeries.number(latest),
            "sum": metric.isState ? .null : StatisticSeries.number(sum), "trend": .string(trend()),
            "series": [
                "since": .string(since.rfc3339), "step_s": .integer(step.rawValue),
                "values": .array(values.map(StatisticSeries.number)),
            ],
        ]
    }

    /// Whole numbers as such.
    private static func number(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite, abs(value) < 1e15 else { return .null }
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? .integer(Int(rounded)) : .number(rounded)
    }
}
