import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Registration

/// What travels with a request: Hummingbird's own, and the address of the peer.
public struct RoutedContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// Of the connection: behind a proxy, the proxy's. Forwarded headers are not read.
    public let peer: String?

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        peer = source.channel.remoteAddress?.ipAddress
    }
}

extension Request {
    /// What this request shows of its sender. `base` is the URL under which the world knows the root of this host.
    func presented(_ base: String, _ context: RoutedContext) -> PresentedRequest {
        PresentedRequest(method: method.rawValue, url: base + uri.path, authorization: headers[.authorization],
                         proofs: headers[values: .dpop], origin: context.peer)
    }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP").orHarmless
    static let dpopNonce = HTTPField.Name("DPoP-Nonce").orHarmless
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options").orHarmless
    static let referrerPolicy = HTTPField.Name("Referrer-Policy").orHarmless
    static let link = HTTPField.Name("Link").orHarmless
}

extension HTTPField.Name? {
    /// For literals in this file, which are names; anything else would be a harmless other header.
    fileprivate var orHarmless: HTTPField.Name { self ?? .server }
}
