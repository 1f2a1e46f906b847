import HTTPTypes
import Hummingbird
import Traces

/// The span of a request (OpenTelemetry's conventions for HTTP servers), from its head until that of the answer is
/// ready. What a proxy that is trusted says of the trace is taken; anybody else's begins a new one.
///
/// It is named by the pattern from the table, as metrics and the access log are; of the address that was asked for,
/// the query and the sender nothing is told.
enum RequestTrace {
    /// What proxies and probes ask every second.
    private static let untraced: Set<String> = ["/healthz", "/readyz"]

    static func begin(_ request: Request, _ context: RoutedContext, by recorder: TraceRecorder) -> RecordedSpan? {
        guard !untraced.contains(request.uri.path) else { return nil }
        return Phase.serving(
            method(request) ?? "HTTP", traceparent: request.headers[values: .traceparent],
            tracestate: request.headers[values: .tracestate], isTrusted: context.isForwarded, by: recorder)
    }

    static func around(
        _ span: RecordedSpan, _ request: Request, _ context: RoutedContext, _ body: () async throws -> Response
    ) async throws -> Response {
        try await Phase.within(span) {
            let response = try await body()
            tell(span, request, context, status: response.status.code)
            return response
        }
    }

    private static func tell(_ span: RecordedSpan, _ request: Request, _ context: RoutedContext, status: Int) {
        span.set(.httpMethod, method(request) ?? "_OTHER")
        if let route = context.route {
            span.operationName = "\(span.operationName) \(route)"
            span.set(.httpRoute, route)
        }
        span.set(.scheme, request.head.scheme ?? "http")
        span.set(.httpStatus, status)
        // What a sender did wrong is no error of the server's.
        if status >= 500 { span.fail("\(status)") }
    }

    /// `nil` for a word of the sender's.
    private static func method(_ request: Request) -> String? {
        HTTPMetrics.methods.contains(request.method.rawValue) ? request.method.rawValue : nil
    }
}
