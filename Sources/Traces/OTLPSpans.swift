import Foundation
import Tracing

/// Spans as `ExportTraceServiceRequest` in the JSON encoding of OTLP (opentelemetry.io/docs/specs/otlp, "JSON Protobuf
/// Encoding"): identifiers are hexadecimal, 64 bits stand in quotes, enumerations are numbers. One object is a line of
/// OTLP's file format, too.
public struct OTLPSpans: Sendable {
    /// What records: `service.name` and so on.
    private let resource: [(key: String, value: String)]
    private let version: String

    public init(resource: [(key: String, value: String)], version: String) {
        (self.resource, self.version) = (resource, version)
    }

    /// In one line.
    public func json(_ spans: [FinishedSpan]) throws -> [UInt8] {
        let attributes = resource.map { Attribute($0.key, .string($0.value)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return Array(
            try encoder.encode(
                Message(resourceSpans: [
                    .init(
                        resource: .init(attributes: attributes),
                        scopeSpans: [
                            .init(scope: .init(name: "pando", version: version), spans: spans.map(Span.init))
                        ])
                ])))
    }

    /// An attribute's value for people.
    static func text(_ value: SpanAttribute) -> String {
        switch Value(value) {
        case .string(let text), .integer(let text): text
        case .double(let number): "\(number)"
        case .bool(let isTrue): "\(isTrue)"
        case .array(let values): "\(values)"
        }
    }

    private struct Message: Encodable {
        let resourceSpans: [ResourceSpans]
    }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable {
        let attributes: [Attribute]
    }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [Span]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct Span: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?
        let parentSpanId: String?
        /// The flags of W3C in the lowest byte; whether the parent is another program's, and whether that is known.
        let flags: UInt32
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let events: [Event]?
        let links: [Link]?
        let status: Status?

        init(_ span: FinishedSpan) {
            (traceId, spanId) = (span.context.traceID.description, span.context.spanID.description)
            let state = span.context.state.text
            traceState = state.isEmpty ? nil : state
            parentSpanId = span.parent?.description
            flags = OTLPSpans.flags(span.context, isRemote: span.hasRemoteParent)
            (name, kind) = (span.name, OTLPSpans.number(span.kind))
            (startTimeUnixNano, endTimeUnixNano) = ("\(span.start)", "\(span.end)")
            attributes = span.attributes.map { Attribute($0.key, Value($0.value)) }
            events = span.events.isEmpty ? nil : span.events.map(Event.init)
            links = span.links.isEmpty ? nil : span.links.map(Link.init)
            status = span.isError ? Status(code: 2) : nil
        }
    }

    private struct Event: Encodable {
        let timeUnixNano: String
        let name: String
        let attributes: [Attribute]

        init(_ event: FinishedSpan.Event) {
            (timeUnixNano, name) = ("\(event.nanoseconds)", event.name)
            attributes = event.attributes.map { Attribute($0.key, Value($0.value)) }
        }
    }

    private struct Link: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?
        let attributes: [Attribute]
        let flags: UInt32

        init(_ link: FinishedSpan.Link) {
            (traceId, spanId) = (link.context.traceID.description, link.context.spanID.description)
            let state = link.context.state.text
            traceState = state.isEmpty ? nil : state
            attributes = link.attributes.map { Attribute($0.key, Value($0.value)) }
            flags = OTLPSpans.flags(link.context, isRemote: link.context.isRemote)
        }
    }

    private struct Status: Encodable {
        let code: Int
    }

    private struct Attribute: Encodable {
        let key: String
        let value: Value

        init(_ key: String, _ value: Value) { (self.key, self.value) = (key, value) }
    }

    private enum Value: Encodable {
        case string(String)
        case integer(String)
        case double(Double)
        case bool(Bool)
        case array([Value])

        private enum CodingKeys: String, CodingKey { case stringValue, intValue, doubleValue, boolValue, arrayValue }
        private struct Values: Encodable { let values: [Value] }

        init(_ attribute: SpanAttribute) {
            switch attribute {
            case .int32(let number): self = .integer("\(number)")
            case .int64(let number): self = .integer("\(number)")
            // JSON has none that is no number.
            case .double(let number): self = number.isFinite ? .double(number) : .string("\(number)")
            case .bool(let isTrue): self = .bool(isTrue)
            case .string(let text): self = .string(Value.bounded(text))
            case .stringConvertible(let value): self = .string(Value.bounded("\(value)"))
            case .int32Array(let all): self = .array(all.map { .integer("\($0)") })
            case .int64Array(let all): self = .array(all.map { .integer("\($0)") })
            case .doubleArray(let all): self = .array(all.map { Value(.double($0)) })
            case .boolArray(let all): self = .array(all.map { .bool($0) })
            case .stringArray(let all): self = .array(all.map { .string(Value.bounded($0)) })
            case .stringConvertibleArray(let all): self = .array(all.map { .string(Value.bounded("\($0)")) })
            default: self = .string("")
            }
        }

        private static func bounded(_ text: String) -> String {
            text.utf8.count <= RecordedSpan.longest ? text : String(text.prefix(RecordedSpan.longest / 4))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .string(let text): try container.encode(text, forKey: .stringValue)
            case .integer(let digits): try container.encode(digits, forKey: .intValue)
            case .double(let number): try container.encode(number, forKey: .doubleValue)
            case .bool(let isTrue): try container.encode(isTrue, forKey: .boolValue)
            case .array(let values): try container.encode(Values(values: values), forKey: .arrayValue)
            }
        }
    }

    private static func flags(_ context: TraceContext, isRemote: Bool) -> UInt32 {
        (context.isSampled ? 1 : 0) | 0x100 | (isRemote ? 0x200 : 0)
    }

    private static func number(_ kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
