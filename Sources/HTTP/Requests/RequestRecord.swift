import Base
import Dispatch
import HTTPTypes
import Hummingbird
import Logging
import Traces

/// Around all else: from which address a request comes, by which id it is known, and what is measured and written of
/// it (docs/operate.md, "Health, metrics, logs").
struct RequestRecord: RouterMiddleware {
    let proxies: ProxyTrust
    let metrics: HTTPMetrics
    /// `nil`: none is written.
    let accessLog: AccessLog?
    /// `nil`: none is traced.
    let traces: TraceRecorder?

    /// Hummingbird's own name of the id in logs.
    private static let id = "hb.request.id"
    static let longestID = 128

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        let begun = DispatchTime.now().uptimeNanoseconds
        var context = context
        context.isForwarded = proxies.includes(context.peer.flatMap { IPAddress($0) })
        context.peer = proxies.origin(peer: context.peer, request.headers)
        context.metrics = metrics
        if context.isForwarded, let given = RequestRecord.given(request.headers) {
            context.logger[metadataKey: RequestRecord.id] = .string(given)
        }
        metrics.began()
        defer { metrics.ended() }
        guard let span = traces.flatMap({ RequestTrace.begin(request, context, by: $0) }) else {
            return try await answered(request, context, next, since: begun)
        }
        return try await RequestTrace.around(span, request, context) {
            try await answered(request, context, next, since: begun)
        }
    }

    private func answered(
        _ request: Request, _ context: RoutedContext, _ next: (Request, RoutedContext) async throws -> Response,
        since begun: UInt64
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            if let id = context.logger[metadataKey: RequestRecord.id] { response.headers[.requestID] = "\(id)" }
            note(request, context, response.status.code, response.body.contentLength, since: begun)
            return response
        } catch {
            note(request, context, 500, nil, since: begun)
            throw error
        }
    }

    private func note(_ request: Request, _ context: RoutedContext, _ status: Int, _ bytes: Int?, since begun: UInt64) {
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - begun
        metrics.answered(request.method, context.route, status: status, nanoseconds: nanoseconds)
        accessLog?.write(
            .init(
                peer: context.peer, method: request.method.rawValue, route: context.route, status: status,
                bytes: bytes, nanoseconds: nanoseconds,
                id: context.logger[metadataKey: RequestRecord.id].map { "\($0)" },
                trace: Phase.trace?.traceID.description))
    }

    /// What a proxy calls the request: one word, in letters that no log and no header takes for something else. Two are
    /// the proxy's and that of somebody who wants to be found under another one's.
    static func given(_ headers: HTTPFields) -> String? {
        for name in [HTTPField.Name.requestID, .plainRequestID] {
            let values = headers[values: name]
            guard !values.isEmpty else { continue }
            guard values.count == 1, isWellFormed(values[0]) else { return nil }
            return values[0]
        }
        return nil
    }

    private static func isWellFormed(_ id: String) -> Bool {
        (1...longestID).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.:=+/@".utf8.contains(byte)
                }
            }
    }
}
