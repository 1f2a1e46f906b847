import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Whether this process is about to stop: it answers as ever and says so, that whoever chooses between several looks
/// elsewhere before its listeners close.
public final class Drain: Sendable {
    private let begun = Atomic(false)
    private let listening = Mutex<[any Channel]>([])

    public init() {}

    public var hasBegun: Bool { begun.load(ordering: .relaxed) }

    public func begin() { begun.store(true, ordering: .relaxed) }

    func watch(_ channel: any Channel) { listening.withLock { $0.append(channel) } }

    /// Between `letNobodyIn` and the close of the listeners: for accepting those who wait and for what they are about
    /// to send; below the second after which a knock is repeated.
    public static let lastAnswers = Duration.milliseconds(700)

    /// At any of its listeners, while those who are in are answered on: after `lastAnswers` they can be closed, and no
    /// request is lost.
    public func letNobodyIn(logger: Logger) async {
        for channel in listening.withLock({ $0 }) {
            do {
                try await NoNewcomers.stand(in: channel)
            } catch {
                logger.notice("who connects in this moment may be reset", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Each answer is the last of its connection then (RFC 9112, 9.6), so that none is left to be closed between two
    /// requests. A WebSocket is not: it has no request after this one.
    func told(_ response: Response) -> Response {
        guard hasBegun, response.status != .switchingProtocols else { return response }
        var response = response
        response.headers[.connection] = "close"
        return response
    }
}
