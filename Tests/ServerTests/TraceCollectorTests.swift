import HTTP
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Metrics
import Synchronization
import TestSupport
import Testing
import Traces

@testable import Server

/// The exporter against a collector at a real socket.
@Suite("spans to a collector over HTTP", .timeLimit(.minutes(1)))
struct TraceCollectorTests {
    private struct Taken: Sendable {
        let type: String?
        let body: String
    }

    /// Counts, answers as the test says, and holds what it is told to hold.
    private final class Collector: Sendable {
        private let taken = Mutex<[Taken]>([])
        let answer: @Sendable (Int) async throws -> Response

        init(_ answer: @escaping @Sendable (Int) async throws -> Response) { self.answer = answer }

        var all: [Taken] { taken.withLock { $0 } }

        func router() -> Router<BasicRequestContext> {
            let router = Router()
            router.post("/v1/traces") { request, _ in
                let body = try await request.body.collect(upTo: 4 << 20)
                let taken = Taken(type: request.headers[.contentType], body: String(buffer: body))
                let number = self.taken.withLock { all in
                    all.append(taken)
                    return all.count
                }
                return try await self.answer(number)
            }
            return router
        }
    }

    private func exporting(
        to collector: Collector, room: Int = 100,
        _ body: @escaping @Sendable (SpanQueue, TraceRecorder, PrometheusRegistry) async throws -> Void
    ) async throws {
        try await Application(router: collector.router(), logger: .quiet).test(.live) { client in
            let endpoint = "http://127.0.0.1:\(try #require(client.port))/v1/traces"
            let registry = PrometheusRegistry(), metrics = TraceMetrics(registry)
            let queue = SpanQueue(room: room, most: 10, metrics: metrics)
            let recorder = TraceRecorder(TraceSampling(share: 1)) { queue.add($0) }
            let export = SpanExport(
                queue, as: OTLPSpans(resource: [("service.name", "pando")], version: "1"),
                post: { try await Peers.export($0, to: endpoint) }, metrics: metrics, logger: .quiet,
                pause: .milliseconds(1), sleep: { _ in })
            let running = Task { await export.run() }
            try await body(queue, recorder, registry)
            running.cancel()
            await running.value
        }
    }

    private static func make(_ count: Int, by recorder: TraceRecorder) async {
        await Phase.recording(by: recorder) {
            for number in 0..<count { await Phase.root("span \(number)") {} }
        }
    }

    private static func until(_ line: String, _ registry: PrometheusRegistry) async {
        while !registry.page.contains(line) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("spans arrive as JSON, each once")
    func taken() async throws {
        let collector = Collector { _ in Response(status: .ok, body: .init(byteBuffer: .init(string: "{}"))) }
        try await exporting(to: collector) { _, recorder, registry in
            await Self.make(25, by: recorder)
            await Self.until(#"pando_trace_spans_total{outcome="exported"} 25.0"#, registry)
        }

        let text = collector.all.map(\.body).joined()
        #expect(collector.all.allSatisfy { $0.type == "application/json" && $0.body.contains("service.name") })
        #expect((0..<25).allSatisfy { text.components(separatedBy: "\"span \($0)\"").count == 2 })
    }

    @Test("one that has too much is asked again, one that refuses is not, a redirect is not followed")
    func refusing() async throws {
        let collector = Collector { number in
            switch number {
            case 1: Response(status: .tooManyRequests, headers: [.retryAfter: "1"])
            case 2: Response(status: .ok)
            case 3: Response(status: .badRequest)
            default: Response(status: .temporaryRedirect, headers: [.location: "/v1/traces"])
            }
        }
        try await exporting(to: collector) { _, recorder, registry in
            for (count, line) in [(1, #"exported"} 1.0"#), (2, #"refused"} 2.0"#), (3, #"refused"} 5.0"#)] {
                await Self.make(count, by: recorder)
                await Self.until("pando_trace_spans_total{outcome=\"" + line, registry)
            }
        }

        #expect(collector.all.count >= 4 && collector.all[0].body == collector.all[1].body)
    }

    @Test("one that is slow costs spans and nobody's time: what does not fit is dropped and counted")
    func slow() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        let collector = Collector { number in
            if number == 1 { for await _ in gate.stream { break } }
            return Response(status: .ok)
        }
        try await exporting(to: collector, room: 20) { queue, recorder, registry in
            await Self.make(1, by: recorder)
            while collector.all.isEmpty { try? await Task.sleep(for: .milliseconds(2)) }
            await Self.make(50, by: recorder)
            #expect(queue.count == 20 && registry.page.contains(#"{outcome="queue_full"} 30.0"#))
            gate.continuation.yield()
            await Self.until(#"{outcome="exported"} 21.0"#, registry)
        }
    }

    @Test("one that is not there is given up")
    func away() async throws {
        let port = try await LiveServer.freePort(), registry = PrometheusRegistry(), queue = SpanQueue()
        let recorder = TraceRecorder(TraceSampling(share: 1)) { queue.add($0) }
        await Self.make(3, by: recorder)
        await SpanExport(
            queue, as: OTLPSpans(resource: [], version: "1"),
            post: { try await Peers.export($0, to: "http://127.0.0.1:\(port)/v1/traces") },
            metrics: TraceMetrics(registry), logger: .quiet
        ).flush()

        #expect(registry.page.contains(#"pando_trace_spans_total{outcome="gave_up"} 3.0"#) && queue.count == 0)
    }
}
