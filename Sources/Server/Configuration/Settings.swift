import Base
import Federation
import Foundation
import HTTP
import Keys
import Logging
import OAuth
import Pages
import Registration

/// The whole configuration, checked. Every member's name, default and meaning stands in `Setting`.
public struct Settings: Sendable {
    let issuer: WebAddress
    let bind: [String]
    public let port: Int
    public let drainDelay: Duration
    public let metricsPort: Int?
    let metrics: MetricsSettings
    let traces: TraceSettings
    /// `nil`: none is written.
    let accessLog: AccessLog.Format?
    public let database: String
    public let databaseConnections: Int
    /// `nil`: the primary answers everything.
    let replica: ReplicaSettings?
    public let masterKeyFile: String
    public let signingAlgorithms: [SigningAlgorithm]
    let migrations: String
    let commonPasswords: String
    public let roles: Set<Role>
    /// What this server can serve; the roles say what of it this process does.
    let products: [ConfiguredProduct]
    /// `nil`: this server's services belong to its own federation.
    public let elsewhere: ElsewhereSettings?
    let loginFactors: Set<String>
    let listing: ListingPolicy
    let accountDeletion: DeleteOwnAccount.Policy
    /// Days; `nil` for good.
    let auditKept: Int?
    let growth: GrowthSettings
    let crawlerAllow: String
    let crawlerDeny: String
    let crawlerResolve: String
    let crawlerConcurrency: Int
    let crawlerStaleMax: TimeInterval
    let crawlerForget: TimeInterval
    let events: EventSettings
    let limits: LimitSettings
    let administration: AdministrationSettings
    let lifetimes: Lifetimes
    public let allowsLoopbackServices: Bool
    /// What people know this server by: no password may be made of it (`PasswordRule`).
    let names: [String]
    public var transport: TransportSettings
    /// `nil`: no mail is sent.
    let mail: MailSettings?
    let brand: Brand
    let proofNonces: ServerNonce.Demand
    let logLevel: Logger.Level
    let logFormat: LogOutput.Choice
    /// What this process is called in logs and traces.
    let process: ProcessName
    /// What of the environment is not read, in words.
    public let warnings: [String]
    /// As they were given, for `config show`.
    public let values: ConfigurationValues

    /// What a process runs: the IdP, the crawler, or a product by its name.
    public struct Role: Hashable, CaseIterable, Sendable {
        public let name: String

        init(_ name: String) { self.name = name }

        static let idp = Role("idp"), crawler = Role("crawler")
        public static let allCases = [idp, crawler] + Product.all.filter(\.hasRole).map { Role($0.name) }
        /// Those of a process that is told nothing.
        public static let usual =
            [idp, crawler] + Product.all.filter { $0.hasRole && $0.isUsual }.map { Role($0.name) }
    }

    /// Whether people of this process's IdP may log in with it.
    func logsIn(with product: ConfiguredProduct) -> Bool {
        roles.contains(.idp) && product.loginFactor.map(loginFactors.contains) ?? product.isOfLogin
    }

    public typealias Unacceptable = UnacceptableSetting

    /// The URL under which this host's root is known: the issuer's.
    public var root: String { issuer.withoutQuery }

    public init(_ values: ConfigurationValues, products: [Product] = Product.all) throws {
        let texts = values.settings
        guard let issuer = WebAddress(values[.issuer]), issuer.query == nil else {
            throw Unacceptable(description: "issuer: \(values[.issuer]) is not an absolute http(s) URL without query")
        }
        guard issuer.path.isEmpty else { throw Settings.below(issuer) }
        transport = try TransportSettings(values)
        mail = try MailSettings(texts)
        administration = try AdministrationSettings(texts)
        brand = try BrandSettings.brand(texts)
        guard issuer.scheme == "https" || issuer.isLoopback || transport.isBehindProxy else {
            throw Unacceptable(
                description:
                    """
                    issuer: plain http is for loopback only; use https, or set trusted-proxy when TLS ends before \
                    this process
                    """
            )
        }
        guard issuer.scheme == "https" || !transport.speaksTLS else {
            throw Unacceptable(description: "issuer: this process speaks TLS, so its URL is https")
        }
        self.issuer = issuer
        guard let demand = ServerNonce.Demand(rawValue: values[.dpopNonce]) else {
            throw Unacceptable(description: "dpop-nonce: write accepted or required")
        }
        proofNonces = demand
        bind = texts.list(.bind)
        guard !bind.isEmpty else { throw SettingValues.unacceptable(.bind, "name an address to listen on") }
        port = try texts.number(.port, in: 0...65_535)
        drainDelay = .seconds(try texts.number(.drainDelay, in: 0...300))
        metricsPort = values[.metricsPort].isEmpty ? nil : try texts.number(.metricsPort, in: 0...65_535)
        metrics = try MetricsSettings(texts)
        traces = try TraceSettings(texts)
        accessLog = try Settings.accessLog(values[.accessLog])
        database = values[.database]
        databaseConnections = try texts.number(.databaseConnections, in: 1...200)
        replica = try ReplicaSettings(texts)
        masterKeyFile = values[.masterKeyFile]
        signingAlgorithms = try Settings.algorithms(values)
        (migrations, commonPasswords) = (values[.migrations], values[.commonPasswords])
        roles = try Set(
            values[.roles].split(separator: ",").map { word in
                let role = Role(word.trimmingCharacters(in: .whitespaces))
                let known = [Role.idp, .crawler] + products.filter(\.hasRole).map { Role($0.name) }
                guard known.contains(role) else {
                    throw Unacceptable(
                        description: "roles: \(word) is none of \(known.map(\.name).joined(separator: ", "))")
                }
                return role
            })
        elsewhere = try ElsewhereSettings(texts, own: issuer, roles: roles)
        let factors = Product.names(products.compactMap(\.loginFactor))
        loginFactors = try Set(
            texts.list(.loginFactors).map { word in
                guard factors.contains(word) else {
                    throw Unacceptable(
                        description: "login-factors: \(word) is none of \(factors.joined(separator: ", "))")
                }
                return word
            })
        guard let listing = ListingPolicy(rawValue: values[.listing]) else {
            throw Unacceptable(description: "listing: write public, federation or closed")
        }
        self.listing = listing
        guard let deletion = DeleteOwnAccount.Policy(rawValue: values[.accountDeletion]) else {
            throw Unacceptable(description: "account-deletion: write self or operator")
        }
        accountDeletion = deletion
        let kept = try texts.number(.auditKept, in: 0...36_500)
        auditKept = kept == 0 ? nil : kept
        growth = try GrowthSettings(texts)
        (crawlerAllow, crawlerDeny, crawlerResolve) = (
            values[.crawlerAllow], values[.crawlerDeny], values[.crawlerResolve]
        )
        crawlerConcurrency = try texts.number(.crawlerConcurrency, in: 1...1_000)
        crawlerStaleMax = TimeInterval(try texts.number(.crawlerStaleMax, in: 60...31_536_000))
        crawlerForget = TimeInterval(try texts.number(.crawlerForget, in: 0...315_360_000))
        events = try EventSettings(texts)
        limits = try LimitSettings(texts)
        lifetimes = try Lifetimes(texts, eventsKept: events.kept)
        self.products = try products.map { try $0.configured(texts, issuer: issuer) }
        let shown = products.flatMap(\.settings).filter(\.namesServer).map { texts[$0] }
        names = ["Pando", brand.name] + shown + Settings.labels(of: issuer)
        allowsLoopbackServices = try texts.flag(.allowLoopbackServices)
        process = ProcessName(node: try NodeName.of(values[.nodeName]), process: getpid())
        (logLevel, logFormat) = (try texts.choice(.logLevel), try texts.choice(.logFormat))
        warnings = values.warnings
        self.values = values
    }

    /// Wallets, universal links of phones, cookies for the host and the well-known documents of RFC 8414 all want the
    /// host's root, so nothing can live below a path, and a proxy that takes one off would answer at other addresses
    /// than tokens and documents name.
    private static func below(_ issuer: WebAddress) -> Unacceptable {
        Unacceptable(
            description:
                """
                issuer: \(issuer.withoutQuery) has a path, and this server needs the root of its host. Give it a host \
                name of its own, as https://id.example.org, or a port, and write \(issuer.origin) without \(issuer.path)
                """
        )
    }

    /// A line on stdout for each request; `nil` where none is wanted.
    func requestLog(_ clock: WallClock) -> AccessLog? {
        accessLog.map { AccessLog($0, of: process, clock: clock, output: LogOutput.print) }
    }

    private static func accessLog(_ word: String) throws -> AccessLog.Format? {
        if word == "off" { return nil }
        guard let format = AccessLog.Format(rawValue: word) else {
            throw Unacceptable(description: "access-log: write off, json or common")
        }
        return format
    }

    /// Of its address, without the last, which is no name.
    private static func labels(of issuer: WebAddress) -> [String] {
        let labels = issuer.host.split(separator: ".").map(String.init)
        return labels.count > 1 ? labels.dropLast() : labels
    }

    /// Once each. `Ed25519` is the newer name of `EdDSA` (RFC 9864, 2.2), which every verifier knows and which is
    /// therefore written.
    private static func algorithms(_ values: ConfigurationValues) throws -> [SigningAlgorithm] {
        let known: [String: SigningAlgorithm] = ["ES256": .es256, "EdDSA": .edDSA, "Ed25519": .edDSA, "RS256": .rs256]
        var algorithms: [SigningAlgorithm] = []
        for word in values[.signingAlgorithms].split(separator: ",", omittingEmptySubsequences: false) {
            guard let algorithm = known[word.trimmingCharacters(in: .whitespaces)] else {
                throw Unacceptable(description: "signing-algorithms: \(word) is none of ES256, EdDSA, RS256")
            }
            if !algorithms.contains(algorithm) { algorithms.append(algorithm) }
        }
        return algorithms
    }

    /// The master key from its file: 32 bytes as base64url.
    public func masterKey() throws -> MasterKey {
        guard let text = try? String(contentsOfFile: masterKeyFile, encoding: .utf8) else {
            throw Unacceptable(
                description:
                    """
                    master-key-file: \(masterKeyFile) cannot be read. `pando dev` makes one; for production see \
                    docs/operate.md
                    """
            )
        }
        guard let bytes = Base64URL.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            let key = try? MasterKey(SecretBytes(bytes))
        else {
            throw Unacceptable(description: "master-key-file: \(masterKeyFile) must hold 32 bytes as base64url")
        }
        return key
    }
}
