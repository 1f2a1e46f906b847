import Foundation
import Metrics

/// The backend of swift-metrics: everything in memory, one text page (Prometheus exposition format 0.0.4). Ours, since
/// the registry has no package for it.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// Seconds; from a cached look-up to a statement time-out.
    static let buckets: [Double] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let table = MetricTable()

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        table.series(label, dimensions, .counter)
    }
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        table.series(label, dimensions, .gauge)
    }
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        table.series(label, dimensions, .histogram)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        table.series(label, dimensions, aggregate ? .histogram : .gauge)
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) { table.remove(handler) }
    /// What is measured of one service ends with its turn: the page does not grow with all that were ever on it.
    public func destroyRecorder(_ handler: any RecorderHandler) { table.remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) {}

    public var page: String { table.page }
}

/// All series, by name and dimensions.
private final class MetricTable: Sendable {
    private struct Key: Hashable { let name: String, labels: String }
    private let all = Locked<[Key: Series]>([:])

    func series(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
        let name = String(label.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        let labels = dimensions.map {
            "\($0.0)=\"\($0.1.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " "))\""
        }.joined(separator: ",")
        let key = Key(name: name, labels: labels)
        return all.with { table in
            if let known = table[key] { return known }
            let made = Series(kind)
            table[key] = made
            return made
        }
    }

    func remove(_ handler: AnyObject) {
        all.with { table in
            guard let key = table.first(where: { $0.value === handler })?.key else { return }
            table[key] = nil
        }
    }

    var page: String {
        let sorted = all.with { $0 }.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
        var lines: [String] = [], last = ""
        for (key, series) in sorted {
            if key.name != last { lines.append("# TYPE \(key.name) \(series.kind.rawValue)") }
            last = key.name
            lines += series.lines(name: key.name, labels: key.labels)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// One series: a number, or buckets.
private final class Series: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    private struct State {
        var value = 0.0, sum = 0.0, count = 0, buckets = [Int](repeating: 0, count: PrometheusRegistry.buckets.count)
    }

    let kind: Kind
    private let state = Locked(State())

    init(_ kind: Kind) { self.kind = kind }

    func increment(by amount: Int64) { state.with { $0.value += Double(amount) } }
    func increment(by amount: Double) { state.with { $0.value += amount } }
    func decrement(by amount: Double) { state.with { $0.value -= amount } }
    func reset() { state.with { $0.value = 0 } }
    func set(_ value: Int64) { state.with { $0.value = Double(value) } }
    func set(_ value: Double) { state.with { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        state.with { state in
            guard kind == .histogram else { return state.value = value }
            state.sum += value
            state.count += 1
            for (index, bound) in PrometheusRegistry.buckets.enumerated() where value <= bound {
                state.buckets[index] += 1
            }
        }
    }

    func lines(name: String, labels: String) -> [String] {
        let state = state.with { $0 }
        let plain = labels.isEmpty ? "" : "{\(labels)}"
        guard kind == .histogram else { return ["\(name)\(plain) \(state.value)"] }
        let prefix = labels.isEmpty ? "" : labels + ","
        let buckets = zip(PrometheusRegistry.buckets, state.buckets).map {
            "\(name)_bucket{\(prefix)le=\"\($0)\"} \($1)"
        }
        return buckets + [
            "\(name)_bucket{\(prefix)le=\"+Inf\"} \(state.count)", "\(name)_sum\(plain) \(state.sum)",
            "\(name)_count\(plain) \(state.count)",
        ]
    }
}
