import Tracing

/// A span that has ended, as it is told.
public struct FinishedSpan: Sendable {
    public struct Event: Sendable {
        public let name: String
        public let nanoseconds: UInt64
        public let attributes: [(key: String, value: SpanAttribute)]
    }

    public struct Link: Sendable {
        public let context: TraceContext
        public let attributes: [(key: String, value: SpanAttribute)]
    }

    public let context: TraceContext
    /// `nil`: the trace begins with it.
    public let parent: TraceContext.SpanID?
    /// The parent is another program's.
    let hasRemoteParent: Bool
    public let name: String
    public let kind: SpanKind
    /// Nanoseconds since 1970.
    public let start: UInt64
    public let end: UInt64
    public let attributes: [(key: String, value: SpanAttribute)]
    public let events: [Event]
    public let links: [Link]
    public let isError: Bool

    /// For tests and whoever else looks at one.
    public subscript(attribute: String) -> String? {
        attributes.first { $0.key == attribute }.map { OTLPSpans.text($0.value) }
    }
}
