import Metrics

/// One series: a number, or buckets.
final class MetricSeries: CounterHandler, MeterHandler, RecorderHandler, TimerHandler, Sendable {
    struct State {
        var value = 0.0, sum = 0.0, count = 0
        /// Of each bucket by itself.
        var buckets: [Int]
    }

    let family: MetricFamily
    private let state: Locked<State>

    init(_ family: MetricFamily) {
        self.family = family
        state = Locked(State(buckets: [Int](repeating: 0, count: family.buckets.count)))
    }

    var now: State { state.with { $0 } }

    func increment(by amount: Int64) { state.with { $0.value += Double(amount) } }
    func increment(by amount: Double) { state.with { $0.value += amount } }
    func decrement(by amount: Double) { state.with { $0.value -= amount } }
    func reset() { state.with { $0.value = 0 } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.with { $0.value = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        let isHistogram = family.kind == .histogram, bounds = family.buckets
        state.with { state in
            guard isHistogram else { return state.value = value }
            state.sum += value
            state.count += 1
            if let place = bounds.firstIndex(where: { value <= $0 }) { state.buckets[place] += 1 }
        }
    }
}
