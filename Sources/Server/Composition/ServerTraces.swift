import AsyncHTTPClient
import Base
import HTTP
import Logging
import NIOCore
import Traces

/// What records and exports spans in a process that serves.
struct ServerTraces: Sendable {
    let recorder: TraceRecorder
    let export: SpanExport

    /// `nil` where spans go nowhere.
    init?(_ settings: TraceSettings, of process: ProcessName, logger: Logger) {
        guard settings.isOn else { return nil }
        let queue = SpanQueue()
        let encoding = OTLPSpans(
            resource: [
                ("service.name", "pando"), ("service.version", Version.text),
                // The log has its two parts.
                ("service.instance.id", process.instance),
            ], version: Version.text)
        recorder = TraceRecorder(settings.sampling) { queue.add($0) }
        var post: SpanExport.Post?
        if let endpoint = settings.endpoint { post = { try await Peers.export($0, to: endpoint) } }
        export = SpanExport(
            queue, as: encoding, file: settings.file.map(SpanFile.init), post: post, logger: logger)
    }

    /// As long as `body` runs, which begins its traces here; then what waits goes out.
    static func exporting(_ traces: ServerTraces?, _ body: () async throws -> Void) async throws {
        guard let traces else { return try await body() }
        let export = Task { await traces.export.run() }
        do {
            try await Phase.recording(by: traces.recorder, body)
        } catch {
            export.cancel()
            await export.value
            throw error
        }
        export.cancel()
        await export.value
    }
}

extension Peers {
    private static let exportLimit = TimeAmount.seconds(10)
    private static let receiptSize = 64 << 10

    /// To a collector, which the operator's settings name.
    static func export(_ spans: [UInt8], to endpoint: String) async throws -> SpanExport.Answer {
        var request = HTTPClientRequest(url: endpoint)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(bytes: spans))
        let response = try await client.execute(request, timeout: exportLimit)
        let body = try await response.body.collect(upTo: receiptSize)
        return SpanExport.Answer(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After"),
            body: Array(body.readableBytesView))
    }
}
