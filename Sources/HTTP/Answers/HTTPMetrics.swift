import HTTPTypes
import Metrics
import Synchronization

/// What is measured of requests: by the pattern from the table, so that no address which somebody invents makes a
/// series of its own. A series is made when it is first needed, and found without making text after that.
final class HTTPMetrics: Sendable {
    static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    /// What alerts look at (deploy/monitoring/rules.yml). The table has more routes than the page has room for, and
    /// anybody may visit all the others first: these have their place from the start.
    static let watched = ["/token", "/introspect", "/revoke", "/login"]
    /// In place of the pattern where there is none, and of a method that nobody here takes.
    static let unknown = "none", other = "other"

    private struct Kind: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        var requests: [Kind: Counter] = [:]
        var durations: [String: Timer] = [:]
        var refusals: [String: Counter] = [:]
    }

    private let factory: any MetricsFactory
    private let inFlight: Meter
    private let series = Mutex(Series())

    /// `routes`: the patterns of the table.
    init(_ factory: any MetricsFactory, routes: [String]) {
        self.factory = factory
        inFlight = Meter(label: "pando_http_requests_in_flight", factory: factory)
        series.withLock { series in
            for route in HTTPMetrics.watched where routes.contains(route) { _ = make(route, in: &series) }
        }
    }

    func began() { inFlight.increment() }
    func ended() { inFlight.decrement() }

    /// The duration is until the head of the answer was ready.
    func answered(_ method: HTTPRequest.Method, _ route: String?, status: Int, nanoseconds: UInt64) {
        let route = route ?? Self.unknown
        let method = Self.methods.contains(method.rawValue) ? method.rawValue : Self.other
        let kind = Kind(route: route, method: method, status: status / 100)
        let (requests, duration) = series.withLock { series in
            (
                series.requests[kind] ?? make(kind, in: &series), series.durations[route] ?? make(route, in: &series)
            )
        }
        requests.increment()
        duration.recordNanoseconds(Int64(clamping: nanoseconds))
    }

    /// `code` is a word of ours.
    func refused(_ code: String) {
        let refusals = series.withLock { series in
            if let known = series.refusals[code] { return known }
            let made = Counter(label: "pando_http_refusals_total", dimensions: [("error", code)], factory: factory)
            series.refusals[code] = made
            return made
        }
        refusals.increment()
    }

    private func make(_ kind: Kind, in series: inout Series) -> Counter {
        let made = Counter(
            label: "pando_http_requests_total",
            dimensions: [("route", kind.route), ("method", kind.method), ("status", "\(kind.status)xx")],
            factory: factory)
        series.requests[kind] = made
        return made
    }

    private func make(_ route: String, in series: inout Series) -> Timer {
        let made = Timer(
            label: "pando_http_request_duration_seconds", dimensions: [("route", route)], factory: factory)
        series.durations[route] = made
        return made
    }
}
