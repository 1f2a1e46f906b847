import HTTPTypes
import Hummingbird
import Keys
import Logging
import NIOCore
import Registration

/// What travels with a request: Hummingbird's own, and who is at the other end (`PeerReading`).
public struct RoutedContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The sender's address: of the connection, or what a trusted proxy says.
    public package(set) var peer: String?
    /// What the sender showed in TLS, here or at a trusted proxy.
    public internal(set) var certificate: ClientCertificate?
    /// The connection, for what its TLS knows.
    public let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = channel.remoteAddress?.ipAddress
    }
}

extension Request {
    /// What this request shows of its sender. `base` is the URL under which the world knows the root of this host.
    public func presented(_ base: String, _ context: RoutedContext) -> PresentedRequest {
        PresentedRequest(method: method.rawValue, url: base + uri.path, authorization: headers[.authorization],
                         proofs: headers[values: .dpop], origin: context.peer, certificate: context.certificate)
    }
}

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP").orHarmless
    static let dpopNonce = HTTPField.Name("DPoP-Nonce").orHarmless
    static let forwarded = HTTPField.Name("Forwarded").orHarmless
    static let forwardedFor = HTTPField.Name("X-Forwarded-For").orHarmless
    static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options").orHarmless
    public static let referrerPolicy = HTTPField.Name("Referrer-Policy").orHarmless
    static let link = HTTPField.Name("Link").orHarmless
}

extension HTTPField.Name? {
    /// For literals in this file, which are names; anything else would be a harmless other header.
    fileprivate var orHarmless: HTTPField.Name { self ?? .server }
}
