import Synchronization

/// Spans on their way out: bounded, so that a collector which is away costs spans and never memory, and nobody waits
/// who has one to give.
public final class SpanQueue: Sendable {
    private struct State {
        var spans: [FinishedSpan] = []
        var isRung = false
    }

    private let state = Mutex(State())
    private let room: Int
    private let most: Int
    private let metrics: TraceMetrics
    private let bells: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    /// `room`: how many may wait; `most`: of one batch.
    public init(room: Int = 8_192, most: Int = 512, metrics: TraceMetrics = TraceMetrics()) {
        (self.room, self.most, self.metrics) = (room, most, metrics)
        // One that is not yet taken stands for all that come after it.
        (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// How many wait.
    public var count: Int { state.withLock { $0.spans.count } }

    /// Never waits. Of a full queue the new one is dropped: a trace whose beginning is missing would tell less.
    public func add(_ span: FinishedSpan) {
        let (isTaken, rings): (Bool, Bool) = state.withLock { state in
            guard state.spans.count < room else { return (false, false) }
            state.spans.append(span)
            defer { state.isRung = true }
            return (true, !state.isRung)
        }
        if !isTaken { metrics.count(.queueFull, 1) }
        if rings { bell.yield() }
    }

    /// `nil`: nothing waits.
    func next() -> [FinishedSpan]? {
        state.withLock { state in
            guard !state.spans.isEmpty else { return nil }
            let batch = Array(state.spans.prefix(most))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    /// Gives batches to `send`, one after the other, each `pause` after its first span came, as more come meanwhile.
    /// Until cancelled.
    func run(pause: Duration, _ send: ([FinishedSpan]) async -> Void) async {
        for await _ in bells {
            if count < most { try? await Task.sleep(for: pause) }
            guard !Task.isCancelled else { return }
            state.withLock { $0.isRung = false }
            while !Task.isCancelled, let batch = next() { await send(batch) }
        }
    }
}
