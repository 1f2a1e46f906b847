import Base
import Foundation
import Keys
import Registration

/// The whole configuration, checked. Every member's key, default and meaning stands in `SettingKey`.
public struct Settings: Sendable {
    let issuer: WebAddress
    let bind: [String]
    let port: Int
    public let metricsPort: Int?
    public let database: String
    public let databaseConnections: Int
    public let masterKeyFile: String
    public let signingAlgorithms: [SigningAlgorithm]
    let migrations: String
    let commonPasswords: String
    public let roles: Set<Role>
    /// What this server can serve; the roles say what of it this process does.
    let products: [Product]
    let loginFactors: Set<LoginFactor>
    let crawlerAllow: String
    let crawlerDeny: String
    let crawlerResolve: String
    let crawlerConcurrency: Int
    let crawlerStaleMax: TimeInterval
    let crawlerForget: TimeInterval
    public let allowsLoopbackServices: Bool
    let tiqr: TiqrValues
    let operations: OperationsValues
    let liquid: LiquidValues
    public var transport: TransportSettings
    let proofNonces: ServerNonce.Demand
    let logLevel: String
    let logFormat: String
    /// What of the environment is not read, in words.
    let warnings: [String]

    /// What a process runs: the IdP, the crawler, or a product by its name.
    public struct Role: Hashable, CaseIterable, Sendable {
        public let name: String

        init(_ name: String) { self.name = name }

        static let idp = Role("idp"), crawler = Role("crawler")
        public static let allCases = [idp, crawler] + Product.all.map { Role($0.name) }
    }

    public enum LoginFactor: String, CaseIterable, Sendable { case tiqr, operations, passkey }

    /// tiqr's room is needed: by the service of that name, or by the IdP's own login.
    var usesTiqr: Bool { roles.contains(Role("tiqr")) || roles.contains(.idp) && loginFactors.contains(.tiqr) }

    /// Likewise that of operations.
    var usesOperations: Bool { roles.contains(Role("operations")) || roles.contains(.idp) && loginFactors.contains(.operations) }

    /// Likewise that of liquid, for passkeys.
    var usesLiquid: Bool { roles.contains(Role("liquid")) || roles.contains(.idp) && takesPasskeys }

    /// A passkey is bound to a name (WebAuthn, 5.1.2): an address in the issuer has none.
    var takesPasskeys: Bool { loginFactors.contains(.passkey) && issuer.host.contains(where: \.isLetter) && !issuer.host.hasPrefix("[") }

    /// Whether people of this IdP can log in by it.
    func logsIn(by factor: LoginFactor) -> Bool { factor == .passkey ? takesPasskeys : loginFactors.contains(factor) }

    /// A value that cannot stand; says which key, and what would do.
    public struct Unacceptable: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) {
            self.description = description
        }
    }

    /// The URL under which this host's root is known: the issuer's.
    public var root: String { issuer.withoutQuery }

    public init(_ values: ConfigurationValues, products: [Product] = Product.all) throws {
        self.products = products
        guard let issuer = WebAddress(values[.issuer]), issuer.query == nil else {
            throw Unacceptable(description: "issuer: \(values[.issuer]) is not an absolute http(s) URL without query")
        }
        transport = try TransportSettings(values)
        guard issuer.scheme == "https" || issuer.isLoopback || transport.isBehindProxy else {
            throw Unacceptable(description: "issuer: plain http is for loopback only; use https, or set trusted-proxy when TLS ends before this process")
        }
        guard issuer.scheme == "https" || !transport.speaksTLS else { throw Unacceptable(description: "issuer: this process speaks TLS, so its URL is https") }
        self.issuer = issuer
        guard let demand = ServerNonce.Demand(rawValue: values[.dpopNonce]) else { throw Unacceptable(description: "dpop-nonce: write accepted or required") }
        proofNonces = demand
        bind = values[.bind].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        port = try Settings.number(values, .port, 0...65_535)
        metricsPort = values[.metricsPort].isEmpty ? nil : try Settings.number(values, .metricsPort, 0...65_535)
        database = values[.database]
        databaseConnections = try Settings.number(values, .databaseConnections, 1...200)
        masterKeyFile = values[.masterKeyFile]
        signingAlgorithms = try Settings.algorithms(values)
        (migrations, commonPasswords) = (values[.migrations], values[.commonPasswords])
        roles = try Set(values[.roles].split(separator: ",").map { word in
            let role = Role(word.trimmingCharacters(in: .whitespaces))
            let known = [Role.idp, .crawler] + products.map { Role($0.name) }
            guard known.contains(role) else {
                throw Unacceptable(description: "roles: \(word) is none of \(known.map(\.name).joined(separator: ", "))")
            }
            return role
        })
        loginFactors = try Set(values[.loginFactors].split(separator: ",").map { word in
            guard let factor = LoginFactor(rawValue: word.trimmingCharacters(in: .whitespaces)) else {
                throw Unacceptable(description: "login-factors: \(word) is none of \(LoginFactor.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return factor
        })
        (crawlerAllow, crawlerDeny, crawlerResolve) = (values[.crawlerAllow], values[.crawlerDeny], values[.crawlerResolve])
        crawlerConcurrency = try Settings.number(values, .crawlerConcurrency, 1...1_000)
        crawlerStaleMax = TimeInterval(try Settings.number(values, .crawlerStaleMax, 60...31_536_000))
        crawlerForget = TimeInterval(try Settings.number(values, .crawlerForget, 0...315_360_000))
        tiqr = try TiqrValues(values)
        operations = try OperationsValues(values)
        liquid = try LiquidValues(values, issuer: issuer)
        allowsLoopbackServices = values[.allowLoopbackServices] == "true"
        (logLevel, logFormat, warnings) = (values[.logLevel], values[.logFormat], values.warnings)
    }

    /// What this service is called: in apps, in browsers, and in its address without the last part, which is no name (`PasswordRule`).
    var names: [String] {
        let labels = issuer.host.split(separator: ".").map(String.init)
        return ["Pando", tiqr.name, operations.name, liquid.name] + (labels.count > 1 ? labels.dropLast() : labels)
    }

    /// Once each. `Ed25519` is the newer name of `EdDSA` (RFC 9864, 2.2), which every verifier knows and which is therefore written.
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

    private static func number(_ values: ConfigurationValues, _ key: SettingKey, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(values[key]), range.contains(number) else {
            throw Unacceptable(description: "\(key.rawValue): \(values[key]) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The master key from its file: 32 bytes as base64url.
    public func masterKey() throws -> MasterKey {
        guard let text = try? String(contentsOfFile: masterKeyFile, encoding: .utf8) else {
            throw Unacceptable(description: "master-key-file: \(masterKeyFile) cannot be read. `pando dev` makes one; for production see docs/operate.md")
        }
        guard let bytes = Base64URL.decode(text.trimmingCharacters(in: .whitespacesAndNewlines)), let key = try? MasterKey(SecretBytes(bytes)) else {
            throw Unacceptable(description: "master-key-file: \(masterKeyFile) must hold 32 bytes as base64url")
        }
        return key
    }
}
