import Base
import Traces

extension OutgoingHTTP {
    /// With a span for each request that is made in a trace (OpenTelemetry's conventions for HTTP clients): to which
    /// host, in which method, with which status. Paths and queries of others hold what is a secret there, and are not
    /// told. That the trace goes on at the other side is up to what sends (`Phase.headers`).
    public var traced: OutgoingHTTP {
        let plain = self
        return OutgoingHTTP(
            fetch: { url in try await OutgoingHTTP.span("GET", url, { _ in 200 }) { try await plain.fetch(url) } },
            push: { body, url, type in
                try await OutgoingHTTP.span("POST", url, \.status) { try await plain.push(body, url, type) }
            },
            form: { body, url in
                try await OutgoingHTTP.span("POST", url, \.status) { try await plain.form(body, url) }
            },
            callback: { request in
                try await OutgoingHTTP.span(request.method, request.url, { $0 }) { try await plain.callback(request) }
            },
            send: { request in
                try await OutgoingHTTP.span(request.method, request.url, \.status) { try await plain.send(request) }
            },
            exchange: { request in
                try await OutgoingHTTP.span(request.method, request.url, \.status) { try await plain.exchange(request) }
            },
            ask: { request, seconds in
                try await OutgoingHTTP.span(request.method, request.url, \.status) {
                    try await plain.ask(request, seconds)
                }
            })
    }

    private static func span<Value>(
        _ method: String, _ url: String, _ status: (Value) -> Int, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let span = Phase.begin(method, .client) else { return try await body() }
        span.set(.httpMethod, method)
        if let address = WebAddress(url) {
            span.set(.scheme, address.scheme)
            span.set(.serverAddress, address.host)
            span.set(.serverPort, address.port ?? (address.scheme == "https" ? 443 : 80))
        }
        return try await Phase.within(span) {
            let value = try await body(), status = status(value)
            span.set(.httpStatus, status)
            // An answer that refuses is an error of whoever asked.
            if status >= 400 { span.fail("\(status)") }
            return value
        }
    }
}
