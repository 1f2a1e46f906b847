import Registration
import Routes

/// What an operator may decide about a house, for tests that decide otherwise.
public struct HouseOptions: Sendable {
    public var nonces = ServerNonce.Demand.accepted
    public var proxies = ProxyTrust.nobody
    public var takesCertificates = false
    /// Requests come over a real socket, whose peer is 127.0.0.1.
    public var isLive = false

    public init() {}

    public init(nonces: ServerNonce.Demand) { self.nonces = nonces }
    public init(proxies: ProxyTrust) { (self.proxies, takesCertificates, isLive) = (proxies, true, true) }
}
