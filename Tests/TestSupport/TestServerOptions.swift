import Base
import Foundation
import HTTP
import Registration
import Server
import Tiqr
import Traces

/// What an operator may decide about a server, for tests that decide otherwise.
public struct TestServerOptions: Sendable {
    public var nonces = ServerNonce.Demand.accepted
    public var proxies = ProxyTrust.nobody
    public var takesCertificates = false
    public var pushes = PushRoutes.none
    /// People of the IdP can log in with tiqr, operations and passkeys.
    public var hasFactors = true
    /// People delete their accounts themselves.
    public var deletesThemselves = false
    /// Pushes to apps of operations are written down; nobody sends them.
    public var ringsApprovers = false
    /// Requests come over a real socket, whose peer is 127.0.0.1.
    public var isLive = false
    /// Requests come from 127.0.0.1, a trusted proxy, without a socket: `X-Forwarded-For` says whose they are.
    public var isForwarded = false
    /// It reads the secrets that a process which serves reads from files.
    public var isServing = false
    /// Seconds after which services refuse tokens where they hear nothing from the IdP; 0 never.
    public var failClosed = 0
    /// The back office of operations takes client id and secret.
    public var takesBasic = false

    /// It has a mail server, which nobody asks: tests empty the queue.
    public var hasMail = false

    /// Origins of web wallets and pages at other hosts that may log in.
    public var pages: Set<String> = []
    /// Who may read the list of services.
    public var listing = "public"
    /// Roles beside those that a process has when it is told nothing.
    public var roles: Set<String> = []
    /// All that the process runs, as `roles` has it; `nil` for what a server of tests does.
    public var rolesAlone: String?
    /// FIDO's conformance test may call.
    public var isTested = false

    /// By which requests, and what a test does beside them, are traced.
    public var traces: TraceRecorder?

    /// Further settings by name.
    public var flags: [String: String] = [:]

    /// Services beside those that are always there.
    public var products: [Product] = []

    public init() {}
    public init(products: [Product]) { self.products = products }

    public init(flags: [String: String]) { self.flags = flags }
    public init(hasMail: Bool) { self.hasMail = hasMail }
    public init(nonces: ServerNonce.Demand) { self.nonces = nonces }
    public init(pages: Set<String> = [], isTested: Bool) { (self.pages, self.isTested) = (pages, isTested) }
    public init(listing: String = "public", roles: Set<String> = []) { (self.listing, self.roles) = (listing, roles) }
    public init(failClosed: Int) { self.failClosed = failClosed }
    public init(takesBasic: Bool) { self.takesBasic = takesBasic }
    public init(pushes: PushRoutes) { self.pushes = pushes }
    public init(hasFactors: Bool) { self.hasFactors = hasFactors }
    public init(deletesThemselves: Bool) { self.deletesThemselves = deletesThemselves }
    public init(ringsApprovers: Bool) { self.ringsApprovers = ringsApprovers }
    /// Behind a proxy of this machine.
    public static func forwarded() throws -> TestServerOptions {
        var options = TestServerOptions()
        (options.proxies, options.isForwarded) = (try ProxyTrust(ranges: CIDR.list("127.0.0.1") ?? []), true)
        return options
    }

    public init(proxies: ProxyTrust) { (self.proxies, takesCertificates, isLive) = (proxies, true, true) }
}

extension TestServerOptions {
    /// As `pando serve` would read them.
    func settings() async throws -> Settings {
        let products =
            ServerParts.products + self.products
            + Product.all.filter { $0.name != "viewer" }.map { $0.name == "tiqr" ? .tiqr(routes: pushes) : $0 }
        let served = products.filter { $0.hasRole && ($0.isUsual || roles.contains($0.name)) }
        let prints = ServerParts.links.android.flatMap { app in
            app.fingerprints.map { "\(app.package)=" + $0.map { String(format: "%02X", $0) }.joined(separator: ":") }
        }
        var flags = [
            "issuer": ServerParts.root,
            "roles": rolesAlone ?? (["idp", "crawler"] + served.map(\.name)).joined(separator: ","),
            "login-factors": hasFactors ? "tiqr,operations,passkey" : "", "dpop-nonce": nonces.rawValue,
            "allow-loopback-services": "true", "listing": listing,
            "tiqr-name": "Test server", "operations-name": "Test server", "liquid-name": "Test server",
            "operations-basic": takesBasic ? "true" : "false", "liquid-origins": pages.joined(separator: ","),
            "liquid-android": prints.joined(separator: ","),
            "liquid-apple": ServerParts.links.apple.joined(separator: ","),
            "liquid-conformance": isTested ? "true" : "false",
            "fail-closed": "\(failClosed)", "common-passwords": ServerParts.commonPasswordsFile.path,
        ]
        if deletesThemselves { flags["account-deletion"] = "self" }
        if hasMail {
            (flags["mail-server"], flags["mail-from"]) = ("smtp://localhost:25", "no-reply@example.org")
        }
        if ringsApprovers {
            flags["operations-webhook"] = "https://push.example.org"
            flags["operations-webhook-secret"] = "of-no-use-where-nobody-sends"
        }
        flags.merge(self.flags) { $1 }
        var settings = try Settings(try await ConfigurationValues(flags: flags, environment: [:]), products: products)
        settings.transport = TransportSettings(proxies: proxies, takesCertificates: takesCertificates)
        return settings
    }
}
