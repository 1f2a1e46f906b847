import Synchronization
import Tracing

/// A span that is under way. What is set after its end, or of a trace that is not kept, is forgotten.
public final class RecordedSpan: Tracing.Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        var isError = false
        var isOver = false
    }

    /// Attributes, events and links of a span, each; what comes later is left out.
    static let most = 64
    /// Bytes of a text in an attribute; the rest is left out.
    static let longest = 4_096

    public let trace: TraceContext
    public let context: InstrumentationContext
    private let parent: TraceContext?
    private let kind: SpanKind
    private let start: UInt64
    private let recorder: TraceRecorder
    private let state: Mutex<State>

    init(
        _ name: String, _ kind: SpanKind, _ trace: TraceContext, below parent: TraceContext?,
        in recorder: TraceRecorder,
        beside other: InstrumentationContext = .topLevel, at start: UInt64
    ) {
        (self.trace, self.parent, self.kind, self.start, self.recorder) = (trace, parent, kind, start, recorder)
        context = ActiveTrace(recorder, trace).placed(in: other)
        state = Mutex(State(name: name))
    }

    public var isRecording: Bool { trace.isSampled && !state.withLock { $0.isOver } }

    public var operationName: String {
        get { state.withLock { $0.name } }
        set { change { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { change { $0.attributes = newValue } }
    }

    /// Sets an attribute; its value is a word of ours or a number, never what somebody sent.
    public func set(_ key: TraceAttribute, _ value: SpanAttribute) {
        change { $0.attributes.set(key.rawValue, value: value) }
    }

    public func set(_ key: TraceAttribute, _ text: String) { set(key, .string(text)) }
    public func set(_ key: TraceAttribute, _ number: Int) { set(key, .int64(Int64(number))) }

    /// It did not come to what it was begun for; `type` is a code or the name of a type.
    public func fail(_ type: String) {
        change {
            $0.isError = true
            $0.attributes.set(TraceAttribute.errorType.rawValue, value: .string(type))
        }
    }

    public func fail(_ error: any Error) { fail(RecordedSpan.type(of: error)) }

    /// A code where the error has one; what it says is never told.
    static func type(of error: any Error) -> String {
        (error as? any TypedError)?.errorType ?? String(describing: Swift.type(of: error))
    }

    /// What this was done together with, or for.
    public func link(to other: RecordedSpan) { addLink(SpanLink(context: other.context, attributes: [:])) }

    func link(to remote: TraceContext) {
        addLink(SpanLink(context: ActiveTrace(recorder, remote).placed(), attributes: [:]))
    }

    public func setStatus(_ status: SpanStatus) {
        // Words of a status come from errors.
        change { $0.isError = status.code == .error }
    }

    public func addEvent(_ event: SpanEvent) {
        change { if $0.events.count < RecordedSpan.most { $0.events.append(event) } }
    }

    public func addLink(_ link: SpanLink) {
        change { if $0.links.count < RecordedSpan.most { $0.links.append(link) } }
    }

    /// Its type alone.
    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        guard trace.isSampled else { return }
        let type = RecordedSpan.type(of: error)
        change { $0.attributes.set(TraceAttribute.errorType.rawValue, value: .string(type)) }
    }

    /// Once: a second end is none.
    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        end(at: instant().nanosecondsSinceEpoch)
    }

    public func end() { end(at: recorder.now()) }

    private func end(at time: UInt64) {
        guard trace.isSampled else { return }
        let last: State? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let last else { return }
        recorder.take(
            FinishedSpan(
                context: trace, parent: parent?.spanID, hasRemoteParent: parent?.isRemote ?? false, name: last.name,
                kind: kind, start: start,
                // Clocks are set back.
                end: max(time, start), attributes: RecordedSpan.list(last.attributes),
                events: last.events.map {
                    .init(
                        name: $0.name, nanoseconds: $0.nanosecondsSinceEpoch,
                        attributes: RecordedSpan.list($0.attributes))
                },
                links: last.links.compactMap { link in
                    ActiveTrace(link.context)?.context.map {
                        .init(context: $0, attributes: RecordedSpan.list(link.attributes))
                    }
                },
                isError: last.isError))
    }

    private func change(_ change: (inout State) -> Void) {
        guard trace.isSampled else { return }
        state.withLock { if !$0.isOver { change(&$0) } }
    }

    private static func list(_ attributes: SpanAttributes) -> [(key: String, value: SpanAttribute)] {
        var list: [(key: String, value: SpanAttribute)] = []
        attributes.forEach { list.append(($0, $1)) }
        return Array(list.sorted { $0.key < $1.key }.prefix(most))
    }
}

/// An error that is known by a code.
public protocol TypedError: Error {
    /// One of few, and nothing that somebody sent.
    var errorType: String { get }
}
