import Metrics

/// Counts the connections that this process closed before a request was whole, by why. Most of them have no answer, so
/// no figure of requests tells of them.
///
/// `AcceptPause` closes none: those wait. Who leaves by themselves in the middle of a request is not counted.
public final class ConnectionClosures: Sendable {
    enum Reason: String, CaseIterable, Sendable {
        /// `RequestDeadline`: of a head.
        case slowHead = "slow_head"
        /// `RequestDeadline`: of a body, answered with 408 or behind an answer.
        case slowBody = "slow_body"
        /// 431.
        case largeHead = "large_head"
        /// 413, while the body is on its way.
        case largeBody = "large_body"
        /// What is no HTTP/1.1: 400.
        case malformed
        /// No head since the connection began, for as long as silence may last; a slow TLS handshake, too.
        case silent
        /// `ConnectionLimit`: as many as this process may have.
        case processLimit = "limit_connections"
        /// `ConnectionLimit`: as many as one address may have.
        case addressLimit = "limit_address_connections"
    }

    private let counters: [Reason: Counter]

    public init(_ factory: any MetricsFactory = MetricsSystem.factory) {
        counters = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map {
                (
                    $0,
                    Counter(
                        label: "pando_connections_closed_total", dimensions: [("reason", $0.rawValue)],
                        factory: factory)
                )
            })
    }

    func note(_ reason: Reason) { counters[reason]?.increment() }
}
