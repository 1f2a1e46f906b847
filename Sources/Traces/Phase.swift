import Tracing

/// What rooms call where a piece of work begins that an operator wants to see in a trace: a span, below that of the
/// task in which it runs. Where nothing is recorded it costs a flag and a branch, and nothing is made for it: names are
/// closures.
public enum Phase {
    /// As OpenTelemetry's kinds.
    public enum Kind: Sendable {
        /// Work of this process.
        case inside
        /// A request to this server.
        case server
        /// A request of this server.
        case client
        /// A message that it sends.
        case producer
        /// Something that it takes from a queue.
        case consumer

        var kind: SpanKind {
            switch self {
            case .inside: .internal
            case .server: .server
            case .client: .client
            case .producer: .producer
            case .consumer: .consumer
            }
        }
    }

    /// To be ended by whoever begins it; `nil` where nothing is recorded. What runs meanwhile is not below it.
    public static func begin(_ name: @autoclosure () -> String, _ kind: Kind = .inside) -> RecordedSpan? {
        guard TraceRecorder.isAnyMade, let active = ActiveTrace.current, let parent = active.context, parent.isSampled
        else { return nil }
        return active.recorder.begin(name(), kind.kind, below: parent)
    }

    /// `body` in a span of that name, which ends with it. What it throws is told by its type.
    nonisolated(nonsending) public static func run<Value>(
        _ name: @autoclosure () -> String, _ kind: Kind = .inside, _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard let span = begin(name(), kind) else { return try await body() }
        return try await within(span, body)
    }

    /// For work that no request asked for: the first span of a trace, below `recording`. Inside of a trace it is one
    /// more span of that.
    nonisolated(nonsending) public static func root<Value>(
        _ name: @autoclosure () -> String, _ kind: Kind = .inside, _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard TraceRecorder.isAnyMade, let active = ActiveTrace.current else { return try await body() }
        let span =
            if let parent = active.context {
                active.recorder.begin(name(), kind.kind, below: parent)
            } else {
                active.recorder.begin(name(), kind.kind)
            }
        return try await within(span, body)
    }

    /// A request that came: the span goes on with the trace of its sender, where that may say so. From anybody else a
    /// new trace begins, which points at theirs: who is not known must not decide what is kept here, nor mix what they
    /// do with the trace of somebody else.
    public static func serving(
        _ name: String, traceparent: [String], tracestate: [String], isTrusted: Bool, by recorder: TraceRecorder
    ) -> RecordedSpan {
        let remote = TraceContext(traceparent: traceparent, tracestate: tracestate)
        guard !isTrusted, let remote else { return recorder.begin(name, .server, after: remote) }
        let span = recorder.begin(name, .server)
        span.link(to: remote)
        return span
    }

    /// `body` below a span, which ends with it.
    nonisolated(nonsending) public static func within<Value>(
        _ span: RecordedSpan, _ body: () async throws -> Value
    ) async rethrows -> Value {
        defer { span.end() }
        do {
            return try await InstrumentationContext.$current.withValue(span.context) { try await body() }
        } catch {
            span.fail(error)
            throw error
        }
    }

    /// `body` below a span that another ends, or below none: for what works for several.
    nonisolated(nonsending) public static func adopting<Value>(
        _ span: RecordedSpan?, _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard TraceRecorder.isAnyMade else { return try await body() }
        return try await InstrumentationContext.$current.withValue(span?.context) { try await body() }
    }

    /// In no trace, though what begins it is in one: for what outlives it.
    nonisolated(nonsending) public static func apart<Value>(
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard TraceRecorder.isAnyMade, let active = ActiveTrace.current else { return try await body() }
        return try await InstrumentationContext.$current.withValue(ActiveTrace(active.recorder, nil).placed()) {
            try await body()
        }
    }

    /// `body`, with all that it begins, is recorded by `recorder` where something in it begins a trace.
    nonisolated(nonsending) public static func recording<Value>(
        by recorder: TraceRecorder?, _ body: () async throws -> Value
    ) async rethrows -> Value {
        guard let recorder else { return try await body() }
        return try await InstrumentationContext.$current.withValue(ActiveTrace(recorder, nil).placed()) {
            try await body()
        }
    }

    /// The trace of the task that asks, kept or not; for the log.
    public static var trace: TraceContext? { TraceRecorder.isAnyMade ? ActiveTrace.current?.context : nil }

    /// What a request to another server says of the trace that it is made in; nothing where there is none.
    public static var headers: [(name: String, value: String)] { TraceHeaders.of(trace) }
}
