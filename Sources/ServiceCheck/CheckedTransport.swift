import Crawler
import PandoClient

/// Requests to the service under check, by the rules of the crawler: its name is looked up each time, and no address is
/// asked that the operator has not admitted.
public enum CheckedTransport {
    private static let sizeLimit = 1 << 20
    private static let timeLimit = Duration.seconds(15)

    public static func make(_ requests: OutsideRequest) -> Transport {
        Transport { request in
            let isBare = request.body.isEmpty && request.method != "POST"
            let answer = try await requests.exchange(
                request.method, request.url, headers: request.headers, body: isBare ? nil : request.body,
                limit: sizeLimit, within: timeLimit)
            return Transport.Response(status: answer.status, headers: answer.headers, body: answer.body)
        }
    }
}
