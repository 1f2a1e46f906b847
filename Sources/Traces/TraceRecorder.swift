import Synchronization
import Tracing

/// Makes spans, and hands those that have ended on. One for a server; it reaches what it records through
/// `InstrumentationContext`.
public final class TraceRecorder: Tracer {
    private static let made = Atomic(false)

    /// Whether there is, or was, one in this process: until then a phase is this flag and a branch.
    static var isAnyMade: Bool { made.load(ordering: .relaxed) }

    private let sampling: TraceSampling
    private let random: @Sendable () -> UInt64
    let now: @Sendable () -> UInt64
    let take: @Sendable (FinishedSpan) -> Void

    /// `take` gets each span of a kept trace when it has ended, and must not wait. `now` is in nanoseconds since 1970.
    public init(
        _ sampling: TraceSampling, random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
        now: @escaping @Sendable () -> UInt64 = { DefaultTracerClock.now.nanosecondsSinceEpoch },
        take: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        (self.sampling, self.random, self.now, self.take) = (sampling, random, now, take)
        TraceRecorder.made.store(true, ordering: .relaxed)
    }

    /// A span that begins a trace, or goes on with one of another program.
    func begin(_ name: String, _ kind: SpanKind, after remote: TraceContext? = nil) -> RecordedSpan {
        if let remote { return begin(name, kind, below: remote) }
        let id = traceID()
        return RecordedSpan(
            name, kind, TraceContext(id, spanID(), isSampled: sampling.keeps(id)), below: nil, in: self, at: now())
    }

    func begin(
        _ name: String, _ kind: SpanKind, below parent: TraceContext, beside other: InstrumentationContext = .topLevel
    ) -> RecordedSpan {
        let context = TraceContext(parent.traceID, spanID(), isSampled: parent.isSampled, state: parent.state)
        return RecordedSpan(name, kind, context, below: parent, in: self, beside: other, at: now())
    }

    private func traceID() -> TraceContext.TraceID {
        while true { if let id = TraceContext.TraceID(high: random(), low: random()) { return id } }
    }

    private func spanID() -> TraceContext.SpanID {
        while true { if let id = TraceContext.SpanID(random()) { return id } }
    }

    // MARK: swift-distributed-tracing, for libraries that are handed a tracer

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        let context = context(), start = instant().nanosecondsSinceEpoch
        guard let parent = ActiveTrace(context)?.context else {
            let id = traceID()
            return RecordedSpan(
                operationName, kind, TraceContext(id, spanID(), isSampled: sampling.keeps(id)), below: nil, in: self,
                beside: context, at: start)
        }
        let own = TraceContext(parent.traceID, spanID(), isSampled: parent.isSampled, state: parent.state)
        return RecordedSpan(operationName, kind, own, below: parent, in: self, beside: context, at: start)
    }

    public func forceFlush() {}

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        let parent = extractor.extract(key: TraceHeaders.parent, from: carrier).map { [$0] } ?? []
        let state = extractor.extract(key: TraceHeaders.state, from: carrier).map { [$0] } ?? []
        guard let remote = TraceContext(traceparent: parent, tracestate: state) else { return }
        context = ActiveTrace(self, remote).placed(in: context)
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        for header in TraceHeaders.of(ActiveTrace(context)?.context) {
            injector.inject(header.value, forKey: header.name, into: &carrier)
        }
    }
}

/// How a context is written into a request that this server makes.
enum TraceHeaders {
    static let parent = "traceparent", state = "tracestate"

    static func of(_ context: TraceContext?) -> [(name: String, value: String)] {
        guard let context else { return [] }
        let parent = (name: parent, value: context.traceparent), text = context.state.text
        return text.isEmpty ? [parent] : [parent, (name: state, value: text)]
    }
}
