import Crawler
import PandoClient

/// Requests to the service under check, by the rules of the crawler: its name is looked up each time, and no address is
/// asked that the operator has not admitted.
public enum CheckedTransport {
    /// A service that answers each request slowly is not asked for ever.
    struct TookTooLong: Error, CustomStringConvertible {
        let limit: Duration
        var description: String { "not asked any more: the check took longer than \(limit.components.seconds) s" }
    }

    private static let sizeLimit = 1 << 20
    private static let timeLimit = Duration.seconds(15)

    /// - Parameter limit: for all requests together, from now on.
    public static func make(_ requests: OutsideRequest, limit: Duration) -> Transport {
        let end = ContinuousClock.now + limit
        return Transport { request in
            guard ContinuousClock.now < end else { throw TookTooLong(limit: limit) }
            let isBare = request.body.isEmpty && request.method != "POST"
            let answer = try await requests.exchange(
                request.method, request.url, headers: request.headers, body: isBare ? nil : request.body,
                limit: sizeLimit, within: timeLimit)
            return Transport.Response(status: answer.status, headers: answer.headers, body: answer.body)
        }
    }
}
