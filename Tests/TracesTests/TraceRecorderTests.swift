import Synchronization
import Testing
import Tracing

@testable import Traces

@Suite("the recorder, as swift-distributed-tracing's tracer")
struct TraceRecorderTests {
    private struct Headers: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }

    private struct Told: Error, CustomStringConvertible { let description = "s3cret" }

    @Test("a library that is handed the tracer makes spans below ours, and hands contexts on")
    func library() async {
        let kept = KeptSpans(), recorder = kept.recorder()
        var context = InstrumentationContext.topLevel, sent: [String: String] = [:]
        let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        recorder.extract(["traceparent": given, "tracestate": "a=1"], into: &context, using: Headers())

        await recorder.withSpan("of a library", context: context, ofKind: .producer) { span in
            span.attributes["messaging.system"] = "mail"
            span.addEvent("sent")
            recorder.inject(span.context, into: &sent, using: Headers())
            await Phase.run("of ours") {}
        }

        let ours = kept.all[0], library = kept.all[1]
        #expect(library.name == "of a library" && library.parent?.description == "00f067aa0ba902b7")
        #expect(library.context.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(library["messaging.system"] == "mail" && library.events.map(\.name) == ["sent"])
        #expect(ours.parent == library.context.spanID)
        #expect(sent == ["traceparent": library.context.traceparent, "tracestate": "a=1"])
    }

    @Test("what a library says of an error stays out: its type is told")
    func errors() async {
        let kept = KeptSpans(), recorder = kept.recorder()
        try? await recorder.withSpan("fails") { _ in
            await Task.yield()
            throw Told()
        }

        #expect(kept.all.count == 1 && kept.all[0].isError && kept.all[0]["error.type"] == "Told")
        #expect(kept.all[0].events.isEmpty)
    }

    @Test("a header that is no context leaves the context as it is")
    func malformed() {
        let recorder = KeptSpans().recorder()
        var context = InstrumentationContext.topLevel
        recorder.extract(["traceparent": "00-nothing"], into: &context, using: Headers())

        #expect(context.isEmpty)
    }

    @Test("attributes, events and links have an end, and so has a span: what comes later is forgotten")
    func bounded() {
        let kept = KeptSpans(), recorder = kept.recorder(), span = recorder.begin("span", .internal)
        for number in 0..<1_000 {
            span.attributes["key\(number)"] = number
            span.addEvent(SpanEvent(name: "event"))
            span.link(to: span)
        }
        span.end()
        span.set(.httpStatus, 500)
        span.operationName = "later"
        span.end()

        let told = kept.all
        #expect(told.count == 1 && told[0].name == "span" && !span.isRecording)
        #expect(told[0].attributes.count == 64 && told[0].events.count == 64 && told[0].links.count == 64)
    }

    @Test("a share of the traces is kept, the same ones by everybody; of none and of all, none and all")
    func share() {
        func keeps(_ share: Double, _ low: UInt64) -> Bool? {
            TraceContext.TraceID(high: 1, low: low).map { TraceSampling(share: share).keeps($0) }
        }
        let middle: UInt64 = 1 << 55
        #expect(keeps(0.5, middle - 1) == true && keeps(0.5, middle) == false)
        // The first byte is not looked at.
        #expect(keeps(0.5, 0xFF00_0000_0000_0000) == true)
        #expect(keeps(0, 0) == false && keeps(1, .max) == true)

        let kept = KeptSpans(), recorder = kept.recorder(share: 0.25)
        for _ in 0..<4_000 { recorder.begin("span", .internal).end() }
        #expect((700...1_300).contains(kept.all.count), "\(kept.all.count)")
    }

    @Test("identifiers are never zero, and a clock that is set back makes no span of negative length")
    func edges() {
        let zeros = Mutex(3), time = Mutex<[UInt64]>([100, 50]), kept = KeptSpans()
        let recorder = TraceRecorder(
            TraceSampling(share: 1),
            random: {
                zeros.withLock { left in
                    left -= 1
                    return left >= 0 ? 0 : 5
                }
            },
            now: { time.withLock { $0.removeFirst() } }, take: { kept.take($0) })
        recorder.begin("span", .internal).end()

        let span = kept.all[0]
        #expect(span.context.traceID.description == "00000000000000000000000000000005")
        #expect(span.context.spanID.value == 5 && span.start == 100 && span.end == 100)
    }
}
