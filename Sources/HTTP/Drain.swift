import HTTPTypes
import Hummingbird
import Synchronization

/// Whether this process is about to stop: it answers as ever and says so, that whoever chooses between several looks
/// elsewhere before its listeners close.
public final class Drain: Sendable {
    private let begun = Atomic(false)

    public init() {}

    public var hasBegun: Bool { begun.load(ordering: .relaxed) }

    public func begin() { begun.store(true, ordering: .relaxed) }

    /// Each answer is the last of its connection then (RFC 9112, 9.6), so that none is left to be closed between two
    /// requests. A WebSocket is not: it has no request after this one.
    func told(_ response: Response) -> Response {
        guard hasBegun, response.status != .switchingProtocols else { return response }
        var response = response
        response.headers[.connection] = "close"
        return response
    }
}
