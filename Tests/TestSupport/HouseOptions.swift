import Registration
import Routes
import Tiqr

/// What an operator may decide about a house, for tests that decide otherwise.
public struct HouseOptions: Sendable {
    public var nonces = ServerNonce.Demand.accepted
    public var proxies = ProxyTrust.nobody
    public var takesCertificates = false
    public var pushes = PushRoutes.none
    /// People of the IdP can log in with tiqr.
    public var hasFactors = true
    /// Requests come over a real socket, whose peer is 127.0.0.1.
    public var isLive = false

    public init() {}

    public init(nonces: ServerNonce.Demand) { self.nonces = nonces }
    public init(pushes: PushRoutes) { self.pushes = pushes }
    public init(hasFactors: Bool) { self.hasFactors = hasFactors }
    public init(proxies: ProxyTrust) { (self.proxies, takesCertificates, isLive) = (proxies, true, true) }
}
