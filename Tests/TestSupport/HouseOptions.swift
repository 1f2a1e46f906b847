import Base
import HTTP
import OAuth
import Registration
import Tiqr

/// What an operator may decide about a house, for tests that decide otherwise.
public struct HouseOptions: Sendable {
    public var nonces = ServerNonce.Demand.accepted
    public var proxies = ProxyTrust.nobody
    public var takesCertificates = false
    public var pushes = PushRoutes.none
    /// People of the IdP can log in with tiqr, operations and passkeys.
    public var hasFactors = true
    /// Pushes to apps of operations are written down; nobody sends them.
    public var ringsApprovers = false
    /// Requests come over a real socket, whose peer is 127.0.0.1.
    public var isLive = false
    /// Requests come from 127.0.0.1, a trusted proxy, without a socket: `X-Forwarded-For` says whose they are.
    public var isForwarded = false
    /// The back office of operations takes client id and secret.
    public var takesBasic = false

    /// Origins of web wallets and pages at other hosts that may log in.
    public var pages: Set<String> = []
    /// FIDO's conformance test may call.
    public var isTested = false

    /// Products beside those that are always there, made of what all services share and the URL of the root.
    public var services: @Sendable (ServiceRole.Dependencies, String) -> [HostedService] = { _, _ in [] }

    public init() {}
    public init(services: @escaping @Sendable (ServiceRole.Dependencies, String) -> [HostedService]) { self.services = services }

    public init(nonces: ServerNonce.Demand) { self.nonces = nonces }
    public init(pages: Set<String> = [], isTested: Bool) { (self.pages, self.isTested) = (pages, isTested) }
    public init(takesBasic: Bool) { self.takesBasic = takesBasic }
    public init(pushes: PushRoutes) { self.pushes = pushes }
    public init(hasFactors: Bool) { self.hasFactors = hasFactors }
    public init(ringsApprovers: Bool) { self.ringsApprovers = ringsApprovers }
    /// Behind a proxy of this machine.
    public static func forwarded() throws -> HouseOptions {
        var options = HouseOptions()
        (options.proxies, options.isForwarded) = (try ProxyTrust(ranges: CIDR.list("127.0.0.1") ?? []), true)
        return options
    }

    public init(proxies: ProxyTrust) { (self.proxies, takesCertificates, isLive) = (proxies, true, true) }
}
