/// # Traces, floor 1
///
/// Owns what is told of the way of one request through this server, and of the servers before and behind it: contexts
/// on the wire, spans, which of them are kept, and how they reach a collector or a file. Does not own what a phase is
/// (each room says where its own begins and ends), sockets (`Server` hands in what posts), or settings.
///
/// | file | what |
/// |---|---|
/// | `Phase` | what rooms call: a span around a piece of work, a new trace for work that no request asked for |
/// | `TraceContext` `TraceState` | W3C Trace Context: `traceparent` and `tracestate`, read and written |
/// | `TraceSampling` | which traces are kept |
/// | `TraceRecorder` `ActiveTrace` `RecordedSpan` `FinishedSpan` | swift-distributed-tracing's `Tracer` and `Span`; what travels with a task |
/// | `OTLPSpans` | spans as OTLP's JSON |
/// | `SpanQueue` `SpanExport` `SpanFile` | bounded, in batches, to a collector (OTLP over HTTP) and to a file |
/// | `TraceMetrics` | spans that were exported, and those that were dropped |
///
/// docs/tracing.md says what stands in a trace, and what never does.
///
/// 2026-11-27: beside `Base` and without it, since `Base` has no packages and all rooms stand on it.
/// 2026-11-27: the tracer travels with the task, in `InstrumentationContext`, and is not that of
/// `InstrumentationSystem`: libraries which find one there record whole URLs with their queries (AsyncHTTPClient's
/// `url.full`), and in those of ours there are codes and keys of links. One process may hold several servers, as tests
/// do, each with its own. 2026-11-27: where no recorder was ever made, `Phase` is one read of a flag and a branch.
/// 2026-11-27: of an error its type is told and never what it says, which may quote what somebody sent.
