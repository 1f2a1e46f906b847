import HTTP

/// How families and series are written: Prometheus' text format 0.0.4, or OpenMetrics 1.0, which names a counter
/// without `_total`, tells units, and ends with a line of its own.
struct MetricsText {
    let format: MetricsPage.Format

    func text(_ all: [(family: MetricFamily, series: [(labels: String, series: MetricSeries)])]) -> String {
        var lines: [String] = []
        for (family, series) in all {
            let name = format == .openMetrics ? family.familyName : family.name
            lines.append("# HELP \(name) \(family.help)")
            lines.append("# TYPE \(name) \(family.kind.rawValue)")
            if format == .openMetrics, !family.unit.isEmpty { lines.append("# UNIT \(name) \(family.unit)") }
            for one in series { lines += self.lines(one.series, labels: one.labels) }
        }
        if format == .openMetrics { lines.append("# EOF") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(_ series: MetricSeries, labels: String) -> [String] {
        let state = series.now, name = series.family.name, plain = labels.isEmpty ? "" : "{\(labels)}"
        guard series.family.kind == .histogram else { return ["\(name)\(plain) \(MetricsText.number(state.value))"] }
        let prefix = labels.isEmpty ? "" : labels + ","
        var lines: [String] = [], sum = 0
        for (bound, count) in zip(series.family.buckets, state.buckets) {
            sum += count
            lines.append("\(name)_bucket{\(prefix)le=\"\(bound)\"} \(sum)")
        }
        return lines + [
            "\(name)_bucket{\(prefix)le=\"+Inf\"} \(state.count)",
            "\(name)_sum\(plain) \(MetricsText.number(state.sum))", "\(name)_count\(plain) \(state.count)",
        ]
    }

    private static func number(_ value: Double) -> String {
        value.isFinite ? "\(value)" : value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf"
    }

    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { name, value in
            let value = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
            return "\(name)=\"\(value)\""
        }.joined(separator: ",")
    }
}
