import Base
import HTTPTypes
import Hummingbird
import Keys
import Logging
import NIOCore
import Registration

/// What travels with a request: Hummingbird's own, and who is at the other end (`RequestRecord`, `PeerReading`).
public struct RoutedContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The sender's address: of the connection, or what a trusted proxy says.
    public package(set) var peer: String?
    /// The connection is a trusted proxy's.
    var isForwarded = false
    /// What the sender's address may send yet, where this request has been counted.
    var left: ServiceLimit?
    /// Where it is counted what became of the request.
    var metrics: HTTPMetrics?
    /// What the sender showed in TLS, here or at a trusted proxy.
    public internal(set) var certificate: ClientCertificate?
    /// The connection, for what its TLS knows.
    public let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        peer = channel.remoteAddress?.ipAddress
    }

    /// The pattern of the endpoint that answers; `nil` where none stands, for which Hummingbird has a name.
    var route: String? { endpointPath == "NotFound" ? nil : endpointPath }
}

extension Request {
    /// What this request shows of its sender. `base` is the URL under which the world knows the root of this host.
    public func presented(_ base: String, _ context: RoutedContext) -> PresentedRequest {
        PresentedRequest(
            method: method.rawValue, url: base + uri.path, authorization: headers[.authorization],
            proofs: headers[values: .dpop], origin: context.peer, certificate: context.certificate)
    }
}

extension HTTPField.Name {
    /// For literals, which are names; anything else would be a harmless other header.
    public static func named(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .server }

    static let requestID = named("X-Request-Id")
    static let plainRequestID = named("Request-Id")
    static let dpop = named("DPoP")
    static let dpopNonce = named("DPoP-Nonce")
    static let forwarded = named("Forwarded")
    static let forwardedFor = named("X-Forwarded-For")
    static let contentTypeOptions = named("X-Content-Type-Options")
    public static let referrerPolicy = named("Referrer-Policy")
    static let link = named("Link")
}
