import Metrics

/// What became of spans.
public struct TraceMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        case exported, written
        /// They came faster than they left.
        case queueFull = "queue_full"
        /// The collector did not want them, or never will.
        case refused
        /// It did not take them, however often it was asked.
        case gaveUp = "gave_up"
        /// The file could not be written.
        case unwritten
    }

    private let factory: any MetricsFactory

    public init(_ factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    func count(_ outcome: Outcome, _ spans: Int) {
        guard spans > 0 else { return }
        Counter(label: "pando_trace_spans_total", dimensions: [("outcome", outcome.rawValue)], factory: factory)
            .increment(by: spans)
    }
}
