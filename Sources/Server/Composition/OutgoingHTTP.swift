import Operations
import Tiqr

/// HTTP that this server begins, by what it is for; each is bounded in time and size, and follows no redirects.
public struct OutgoingHTTP: Sendable {
    /// The body of a 200: key sets of issuers and clients, sector identifiers.
    public let fetch: @Sendable (_ url: String) async throws -> [UInt8]
    /// Events and logouts, to whom the federation knows; the status.
    public let push: @Sendable (_ body: String, _ url: String, _ type: String) async throws -> Int
    /// A callback that a service registered; the status.
    public let callback: @Sendable (CallbackHTTP.Request) async throws -> Int
    /// To where the operator's own settings point: push services, webhooks, an Algorand node.
    public let send: @Sendable (PushHTTP.Request) async throws -> PushHTTP.Answer

    public init(
        fetch: @escaping @Sendable (_ url: String) async throws -> [UInt8],
        push: @escaping @Sendable (_ body: String, _ url: String, _ type: String) async throws -> Int,
        callback: @escaping @Sendable (CallbackHTTP.Request) async throws -> Int,
        send: @escaping @Sendable (PushHTTP.Request) async throws -> PushHTTP.Answer
    ) {
        (self.fetch, self.push, self.callback, self.send) = (fetch, push, callback, send)
    }

    /// Over the network.
    static func network(_ settings: Settings) throws -> OutgoingHTTP {
        let peers = try Peers(settings)
        return OutgoingHTTP(
            fetch: { try await peers.fetch($0) }, push: { try await peers.push($0, to: $1, type: $2) },
            callback: { try await peers.call($0) }, send: { try await Peers.send($0) })
    }
}
