import Metrics
import Synchronization

@testable import Traces

/// Every span that ended, in order.
final class KeptSpans: Sendable {
    private let spans = Mutex<[FinishedSpan]>([])

    var all: [FinishedSpan] { spans.withLock { $0 } }

    func take(_ span: FinishedSpan) { spans.withLock { $0.append(span) } }

    func recorder(share: Double = 1) -> TraceRecorder {
        TraceRecorder(TraceSampling(share: share)) { self.take($0) }
    }

    /// Some that ended, by their names.
    static func made(_ names: [String]) -> [FinishedSpan] {
        let kept = KeptSpans(), recorder = kept.recorder()
        for name in names { recorder.begin(name, .internal).end() }
        return kept.all
    }
}

/// What was counted, by outcome.
final class CountedOutcomes: MetricsFactory, Sendable {
    private let counts = Mutex<[String: Int64]>([:])

    subscript(outcome: TraceMetrics.Outcome) -> Int64 { counts.withLock { $0[outcome.rawValue] ?? 0 } }
    var total: Int64 { counts.withLock { $0.values.reduce(0, +) } }
    var metrics: TraceMetrics { TraceMetrics(self) }

    private final class Handler: CounterHandler {
        let counts: CountedOutcomes
        let outcome: String

        init(_ counts: CountedOutcomes, _ outcome: String) { (self.counts, self.outcome) = (counts, outcome) }

        func increment(by amount: Int64) { counts.counts.withLock { $0[outcome, default: 0] += amount } }
        func reset() {}
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        Handler(self, label == "pando_trace_spans_total" ? dimensions.first?.1 ?? "" : label)
    }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { NOOPMetricsHandler.instance }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
