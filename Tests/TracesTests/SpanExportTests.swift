import Foundation
import Logging
import Synchronization
import Testing

@testable import Traces

@Suite("OTLP/HTTP: what is sent, sent again, and dropped", .timeLimit(.minutes(1)))
struct SpanExportTests {
    private struct Away: Error, CustomStringConvertible { let description = "to http://user:s3cret@host" }

    /// A collector that answers as the test says, and the pauses that were made for it.
    private final class Collector: Sendable {
        private let state = Mutex((bodies: [[UInt8]](), pauses: [Duration]()))
        let answers: @Sendable (Int) throws -> SpanExport.Answer

        init(_ answers: @escaping @Sendable (Int) throws -> SpanExport.Answer) { self.answers = answers }

        var bodies: [[UInt8]] { state.withLock { $0.bodies } }
        var pauses: [Duration] { state.withLock { $0.pauses } }

        func post(_ body: [UInt8]) throws -> SpanExport.Answer {
            let number = state.withLock { state in
                state.bodies.append(body)
                return state.bodies.count
            }
            return try answers(number)
        }

        func paused(_ pause: Duration) { state.withLock { $0.pauses.append(pause) } }
    }

    private let counted = CountedOutcomes()

    private func export(
        _ queue: SpanQueue, to collector: Collector?, file: SpanFile? = nil, pause: Duration = .milliseconds(1)
    ) -> SpanExport {
        var post: SpanExport.Post?
        if let collector { post = { try collector.post($0) } }
        return SpanExport(
            queue, as: OTLPSpans(resource: [], version: "1"), file: file,
            post: post, metrics: counted.metrics,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, pause: pause,
            now: { Date(timeIntervalSince1970: 784_111_770) }, chance: { 1 }, sleep: { collector?.paused($0) })
    }

    /// Runs until `isOver`, with so many spans in the queue.
    private func run(_ spans: Int, to collector: Collector, until isOver: @escaping @Sendable () -> Bool) async {
        let queue = SpanQueue(most: 10, metrics: counted.metrics), export = export(queue, to: collector)
        for span in KeptSpans.made((0..<spans).map { "span \($0)" }) { queue.add(span) }
        let running = Task { await export.run() }
        while !isOver() { try? await Task.sleep(for: .milliseconds(2)) }
        running.cancel()
        await running.value
    }

    @Test("spans go in batches, each once")
    func batches() async {
        let collector = Collector { _ in .init(status: 200, body: Array("{}".utf8)) }
        await run(25, to: collector) { [counted] in counted[.exported] == 25 }

        let text = collector.bodies.map { String(decoding: $0, as: UTF8.self) }.joined()
        #expect(collector.bodies.count == 3 && counted.total == 25)
        #expect((0..<25).allSatisfy { text.components(separatedBy: "\"span \($0)\"").count == 2 })
    }

    @Test("what may be sent again is, in the same words, after a pause that doubles", arguments: [429, 502, 503, 504])
    func again(_ status: Int) async {
        let collector = Collector { $0 < 4 ? .init(status: status) : .init(status: 200) }
        await run(1, to: collector) { [counted] in counted.total == 1 }

        #expect(collector.pauses == [.seconds(1), .seconds(2), .seconds(4)] && counted[.exported] == 1)
        #expect(collector.bodies.count == 4 && Set(collector.bodies).count == 1)
    }

    @Test("no answer is sent again, too, and after five tries the spans are dropped")
    func away() async {
        let collector = Collector { _ in throw Away() }
        await run(3, to: collector) { [counted] in counted[.gaveUp] == 3 }

        #expect(collector.bodies.count == 5 && counted.total == 3)
    }

    @Test(
        "Retry-After is kept to, in seconds or as a date, up to half a minute",
        arguments: [
            ("7", 7), ("0", 0), ("86400", 30), ("Sun, 06 Nov 1994 08:49:37 GMT", 7),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("-1", 1), ("soon", 1),
            ("", 1),
        ])
    func retryAfter(_ value: String, _ seconds: Int) async {
        let collector = Collector { $0 == 1 ? .init(status: 429, retryAfter: value) : .init(status: 200) }
        await run(1, to: collector) { [counted] in counted.total == 1 }

        #expect(collector.pauses == [.seconds(seconds)], "\(value)")
    }

    @Test(
        "what would be answered so again is dropped at once",
        arguments: [201, 204, 301, 307, 400, 401, 403, 404, 413, 415, 500, 501])
    func refused(_ status: Int) async {
        let collector = Collector { _ in .init(status: status) }
        await run(2, to: collector) { [counted] in counted[.refused] == 2 }

        #expect(collector.bodies.count == 1 && collector.pauses.isEmpty && counted.total == 2)
    }

    @Test(
        "of a partial success the rejected ones are counted, and nothing is sent again",
        arguments: [
            (#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}"#, 2),
            (#"{"partialSuccess":{"rejectedSpans":1}}"#, 1), (#"{"partialSuccess":{}}"#, 0), ("", 0), ("not JSON", 0),
            (#"{"partialSuccess":{"rejectedSpans":"99"}}"#, 3), (#"{"partialSuccess":{"rejectedSpans":"-5"}}"#, 0),
            ("[1,2]", 0), (#"{"partialSuccess":7}"#, 0),
        ])
    func partial(_ body: String, _ rejected: Int) async {
        let collector = Collector { _ in .init(status: 200, body: Array(body.utf8)) }
        await run(3, to: collector) { [counted] in counted.total == 3 }

        #expect(collector.bodies.count == 1)
        #expect(counted[.refused] == rejected && counted[.exported] == Int64(3 - rejected))
    }

    @Test("a full queue takes no more: the new ones are dropped, and counted")
    func full() {
        let queue = SpanQueue(room: 10, metrics: counted.metrics)
        for span in KeptSpans.made((0..<25).map { "span \($0)" }) { queue.add(span) }

        #expect(queue.count == 10 && counted[.queueFull] == 15)
        #expect(queue.next()?.map(\.name) == (0..<10).map { "span \($0)" } && queue.next() == nil)
    }

    @Test("what waits at the end goes out in one try; a collector that is away then is not asked twice")
    func end() async {
        let good = Collector { _ in .init(status: 200) }, gone = Collector { _ in throw Away() }
        for collector in [good, gone] {
            let queue = SpanQueue(most: 10, metrics: counted.metrics)
            let export = export(queue, to: collector, pause: .seconds(60))
            let running = Task { await export.run() }
            for span in KeptSpans.made((0..<15).map { "span \($0)" }) { queue.add(span) }
            running.cancel()
            await running.value
        }

        #expect(good.bodies.count == 2 && counted[.exported] == 15)
        #expect(gone.bodies.count == 1 && counted[.gaveUp] == 10)
    }

    @Test("a collector that says nothing does not keep a process that was told to go")
    func silent() async {
        let queue = SpanQueue(most: 10, metrics: counted.metrics)
        for span in KeptSpans.made((0..<15).map { "span \($0)" }) { queue.add(span) }
        let export = SpanExport(
            queue, as: OTLPSpans(resource: [], version: "1"),
            post: { _ in
                try await Task.sleep(for: .seconds(3_600))
                return .init(status: 200)
            }, metrics: counted.metrics, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            pause: .seconds(60), farewell: .milliseconds(1))
        let running = Task { await export.run() }
        running.cancel()
        await running.value

        #expect(counted[.gaveUp] == 10 && counted.total == 10)
    }

    @Test("what is on its way at the end arrives, and is not sent again")
    func underWay() async {
        let queue = SpanQueue(metrics: counted.metrics), gate = AsyncStream.makeStream(of: Void.self)
        let begun = Mutex(0)
        let export = SpanExport(
            queue, as: OTLPSpans(resource: [], version: "1"),
            post: { _ in
                begun.withLock { $0 += 1 }
                for await _ in gate.stream { break }
                try Task.checkCancellation()
                return .init(status: 200)
            }, metrics: counted.metrics, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            pause: .milliseconds(1))
        for span in KeptSpans.made(["one"]) { queue.add(span) }
        let running = Task { await export.run() }
        while begun.withLock({ $0 }) == 0 { try? await Task.sleep(for: .milliseconds(2)) }
        running.cancel()
        gate.continuation.yield()
        await running.value

        #expect(counted[.exported] == 1 && counted.total == 1 && begun.withLock { $0 } == 1)
    }

    @Test(
        "a file has an object a line, behind what there was, and is its owner's; one that cannot be written is counted")
    func file() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for place in [path, path, path + "/none"] {
            let queue = SpanQueue(metrics: counted.metrics)
            for span in KeptSpans.made(["one", "two"]) { queue.add(span) }
            await export(queue, to: nil, file: SpanFile(place)).flush()
        }

        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && counted[.written] == 4 && counted[.unwritten] == 2)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["resourceSpans"] != nil)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }
}
