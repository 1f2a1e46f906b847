/// What is measured under one name: a line of `MetricFamily.all`, which is all that the page can hold.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable { case counter, gauge, histogram }

    /// As Prometheus knows it: of a counter with `_total` at the end.
    let name: String
    let kind: Kind
    /// Empty where things are counted.
    let unit: String
    /// A sentence without quotes, backslashes and line breaks, since the two formats write those differently.
    let help: String
    let labels: [String]
    /// Series besides the one that stands for all further ones.
    let most: Int
    /// Of a histogram: upper bounds, without the infinite one.
    let buckets: [Double]

    /// In place of each label's value where there are too many.
    static let rest = "_other"

    /// Of a statement or a crawl: from a cached look-up to a time-out.
    static let fine: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Of a request: there is one histogram for each route.
    static let coarse: [Double] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
    static let sizes: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    static func counter(
        _ name: String, unit: String = "", _ help: String, labels: [String] = [], most: Int = 100
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .counter, unit: unit, help: help, labels: labels, most: most, buckets: [])
    }

    static func gauge(
        _ name: String, unit: String = "", _ help: String, labels: [String] = [], most: Int = 100
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .gauge, unit: unit, help: help, labels: labels, most: most, buckets: [])
    }

    static func histogram(
        _ name: String, unit: String = "", _ help: String, labels: [String] = [], most: Int = 30,
        buckets: [Double] = MetricFamily.fine
    ) -> MetricFamily {
        MetricFamily(
            name: name, kind: .histogram, unit: unit, help: help, labels: labels, most: most, buckets: buckets)
    }

    /// What OpenMetrics calls it.
    var familyName: String {
        kind == .counter && name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
    }

    static func named(_ name: String) -> MetricFamily? { table[name] }

    private static let table = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
}
