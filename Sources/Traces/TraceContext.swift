/// The place of a span in its trace, as it goes from one program to the next (W3C Trace Context, 3.2 and 3.3).
public struct TraceContext: Sendable, Equatable {
    /// 16 bytes, not all of them zero.
    public struct TraceID: Sendable, Hashable, CustomStringConvertible {
        let high: UInt64
        let low: UInt64

        init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            (self.high, self.low) = (high, low)
        }

        public var description: String { Hex.text(high) + Hex.text(low) }
    }

    /// Eight bytes, not all of them zero.
    public struct SpanID: Sendable, Hashable, CustomStringConvertible {
        let value: UInt64

        init?(_ value: UInt64) {
            guard value != 0 else { return nil }
            self.value = value
        }

        public var description: String { Hex.text(value) }
    }

    public let traceID: TraceID
    public let spanID: SpanID
    /// Whether spans of this trace are kept.
    public let isSampled: Bool
    /// As other vendors left it, for those who come next.
    public let state: TraceState
    /// It came from another program.
    let isRemote: Bool

    init(_ traceID: TraceID, _ spanID: SpanID, isSampled: Bool, state: TraceState = .empty, isRemote: Bool = false) {
        (self.traceID, self.spanID, self.isSampled) = (traceID, spanID, isSampled)
        (self.state, self.isRemote) = (state, isRemote)
    }

    /// What the headers of a request say; `nil` where they say nothing, or nothing that can be trusted to mean one
    /// trace: then a new one begins (3.2.2 and 4.3). Values of `tracestate` that are no list of one are left out, and
    /// the trace goes on.
    public init?(traceparent: [String], tracestate: [String]) {
        // Two are of two senders.
        guard traceparent.count == 1, let read = Traceparent(traceparent[0]) else { return nil }
        self.init(
            read.traceID, read.spanID, isSampled: read.flags & 1 == 1, state: TraceState(tracestate) ?? .empty,
            isRemote: true)
    }

    /// Version 00, with no flag but the one that it knows.
    public var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}

/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
private struct Traceparent {
    let traceID: TraceContext.TraceID
    let spanID: TraceContext.SpanID
    let flags: UInt64

    private static let length = 55

    /// Hexadecimal digits are small ones (3.2.2.1). Of a later version the first four fields are what they are in this
    /// one, and what follows behind another dash is unknown (3.2.4).
    init?(_ text: String) {
        let bytes = Array(text.utf8), dash = UInt8(ascii: "-")
        guard bytes.count >= Traceparent.length, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = Hex.value(bytes[0..<2]), version != 0xFF,
            bytes.count == Traceparent.length || version > 0 && bytes[Traceparent.length] == dash,
            let high = Hex.value(bytes[3..<19]), let low = Hex.value(bytes[19..<35]),
            let span = Hex.value(bytes[36..<52]), let flags = Hex.value(bytes[53..<55]),
            let traceID = TraceContext.TraceID(high: high, low: low), let spanID = TraceContext.SpanID(span)
        else { return nil }
        (self.traceID, self.spanID, self.flags) = (traceID, spanID, flags)
    }
}

enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { buffer in
            for place in 0..<16 { buffer[place] = digits[Int(value >> UInt64(60 - 4 * place) & 15)] }
            return 16
        }
    }

    /// Of at most 16 digits, small ones.
    static func value(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
