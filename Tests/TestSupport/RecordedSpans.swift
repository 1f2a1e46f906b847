import Synchronization
import Traces

/// Every span that ended, as it would go out.
public final class RecordedSpans: Sendable {
    private let spans = Mutex<[FinishedSpan]>([])
    private let share: Double

    /// `share` of the traces that begin here.
    public init(share: Double = 1) { self.share = share }

    public var recorder: TraceRecorder {
        TraceRecorder(TraceSampling(share: share)) { span in self.spans.withLock { $0.append(span) } }
    }

    /// In the order in which they ended.
    public var all: [FinishedSpan] { spans.withLock { $0 } }

    public func forget() { spans.withLock { $0 = [] } }

    /// What a collector or a file would get, in one text.
    public var text: String {
        get throws { String(decoding: try OTLPSpans(resource: [], version: "test").json(all), as: UTF8.self) }
    }

    public func named(_ name: String) -> [FinishedSpan] { all.filter { $0.name == name } }

    /// Spans below `span`, at any depth.
    public func below(_ span: FinishedSpan) -> [FinishedSpan] {
        let children = all.filter { $0.parent == span.context.spanID && $0.context.traceID == span.context.traceID }
        return children + children.flatMap(below)
    }
}
