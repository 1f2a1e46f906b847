import Foundation
import HTTP
import Metrics

/// The backend of swift-metrics: everything in memory, one text page, in either of two formats: Prometheus' own (0.0.4)
/// and OpenMetrics 1.0. Ours, since the registry of packages has none for it.
///
/// The page holds what `MetricFamily.all` names, and of each family so many series: whatever is given as a label, the
/// page does not grow beyond that.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    private let table = MetricTable()

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        table.series(label, dimensions) ?? NOOPMetricsHandler.instance
    }
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        table.series(label, dimensions) ?? NOOPMetricsHandler.instance
    }
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        table.series(label, dimensions) ?? NOOPMetricsHandler.instance
    }
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        table.series(label, dimensions) ?? NOOPMetricsHandler.instance
    }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) { table.remove(handler) }
    /// What is measured of one service ends with its turn: the page does not grow with all that were ever on it.
    public func destroyRecorder(_ handler: any RecorderHandler) { table.remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// A value that is read elsewhere, as this process's time of processors is; of counters, too.
    func set(_ label: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        table.series(label, dimensions)?.set(value)
    }

    public init() {
        // So that a rate is known from the first time that something is counted.
        for family in MetricFamily.all where family.kind == .counter && family.labels.isEmpty {
            _ = table.series(family.name, [])
        }
    }

    public var page: String { page(.prometheus) }

    func page(_ format: MetricsPage.Format) -> String { MetricsText(format: format).text(table.sorted) }
}

/// All series, by name and dimensions.
private final class MetricTable: Sendable {
    private struct State {
        var series: [String: [String: MetricSeries]] = [:]
    }

    private let state = Locked(State())

    /// `nil`: what nobody has described is on no page.
    func series(_ name: String, _ dimensions: [(String, String)]) -> MetricSeries? {
        guard let family = MetricFamily.named(name) else { return nil }
        let labels = MetricsText.labels(dimensions)
        return state.with { state in
            if let known = state.series[name]?[labels] { return known }
            let count = state.series[name]?.count ?? 0
            let kept = count < family.most ? labels : MetricsText.labels(dimensions.map { ($0.0, MetricFamily.rest) })
            if let known = state.series[name]?[kept] { return known }
            let made = MetricSeries(family)
            state.series[name, default: [:]][kept] = made
            return made
        }
    }

    func remove(_ handler: AnyObject) {
        state.with { state in
            for (name, all) in state.series {
                guard let labels = all.first(where: { $0.value === handler })?.key else { continue }
                state.series[name]?[labels] = nil
                return
            }
        }
    }

    /// In the order of their names; families that have nothing yet, too.
    var sorted: [(family: MetricFamily, series: [(labels: String, series: MetricSeries)])] {
        let all = state.with { $0.series }
        return MetricFamily.all.sorted { $0.name < $1.name }.map { family in
            (family, (all[family.name] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        }
    }
}
