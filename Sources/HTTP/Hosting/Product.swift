import Accounts
import Administration
import Base
import Database
import Federation
import Keys
import Logging
import OAuth
import Registration
import TokenTree

/// A product before it is made: its names among the settings, the settings of its own, and how it is made of what the
/// server has.
public struct Product: Sendable {
    /// That of its role among the settings, where it has one.
    public let name: String
    /// A process can be told to run it; what has none is there where the IdP's people log in with it.
    public let hasRole: Bool
    /// Its role is among those of a process that was told nothing.
    public private(set) var isUsual = true
    /// What `login-factors` calls it; `nil` where nobody logs in with it.
    public let loginFactor: String?
    public let settings: [Setting]
    /// Runs in the transaction that revokes what hangs below a virtual ancestor, whether the process runs the product
    /// or not.
    public let revoked: Revoked?
    /// What it gives to `pando admin`.
    public let administration: ProductAdministration
    /// What it holds on people of the IdP, whether the process runs it or not.
    public let held: [HeldData]
    let configure: @Sendable (SettingValues, _ issuer: WebAddress) throws -> Make

    public typealias Revoked = @Sendable (Ancestor, WallClock, any SQLExecutor) async throws -> Void
    typealias Make = @Sendable (Context) async throws -> HostedService?

    /// `values` checks the product's settings as far as they can be without reading files, whether the process runs it
    /// or not. `make` is called where the process does.
    public init<Values: Sendable>(
        _ name: String, hasRole: Bool = true, loginFactor: String? = nil, settings: [Setting],
        values: @escaping @Sendable (SettingValues, _ issuer: WebAddress) throws -> Values,
        revoked: Revoked? = nil, administration: ProductAdministration = ProductAdministration(),
        held: [HeldData] = [],
        make: @escaping @Sendable (Context, Values) async throws -> HostedService?
    ) {
        (self.name, self.hasRole, self.loginFactor, self.settings) = (name, hasRole, loginFactor, settings)
        (self.revoked, self.administration, self.held) = (revoked, administration, held)
        configure = { texts, issuer in
            let read = try values(texts, issuer)
            return { try await make($0, read) }
        }
    }

    /// One that is a service of the federation and nothing else.
    public static func service(_ name: String, _ make: @escaping @Sendable (Context) -> HostedService) -> Product {
        Product(name, settings: [], values: { _, _ in }, make: { context, _ in make(context) })
    }

    /// The same, run only where `roles` names it.
    public var whenAsked: Product {
        var product = self
        product.isUsual = false
        return product
    }

    /// Reads its settings. Throws `UnacceptableSetting`.
    public func configured(_ values: SettingValues, issuer: WebAddress) throws -> ConfiguredProduct {
        ConfiguredProduct(
            name: name, loginFactor: loginFactor, isOfLogin: !hasRole, revoked: revoked, held: held,
            accountDeletion: administration.accountDeletion, make: try configure(values, issuer))
    }
}

/// A product whose settings are read.
public struct ConfiguredProduct: Sendable {
    public let name: String
    public let loginFactor: String?
    /// It has no role: where it is no factor either, it is there for every IdP.
    public let isOfLogin: Bool
    public let revoked: Product.Revoked?
    public let held: [HeldData]
    public let accountDeletion: AccountDeletion?
    let make: Product.Make

    /// `nil` where this process needs nothing of it.
    public func service(_ context: Product.Context, isServed: Bool, logsIn: Bool) async throws -> HostedService? {
        guard isServed || logsIn else { return nil }
        var context = context
        (context.isServed, context.logsIn) = (isServed, logsIn)
        return try await make(context)
    }
}

extension Product {
    /// What the server hands to each.
    public struct Context: Sendable {
        public let issuer: WebAddress
        public let version: String
        /// Services may live on this machine without TLS.
        public let allowsLoopback: Bool
        public let dependencies: ServiceRole.Dependencies
        public let clients: ClientAuthentication
        public let index: PublishedIndex
        public let store: TokenStore
        public let revocation: Revocation
        public let oneTime: OneTimeStore
        public let master: MasterKey
        /// `nil` in a process without workers, which reads no files for them.
        public let http: OutgoingHTTP?
        /// The same, of every process: for what asks somebody because an operator says so now.
        public let outgoing: OutgoingHTTP
        public let hasher: PasswordHasher
        public let clock: WallClock
        public let randomness: Randomness
        public let logger: Logger
        /// This process runs its role.
        public internal(set) var isServed = false
        /// This process runs the IdP, whose people log in with it.
        public internal(set) var logsIn = false

        public init(
            issuer: WebAddress, version: String, allowsLoopback: Bool, dependencies: ServiceRole.Dependencies,
            clients: ClientAuthentication, index: PublishedIndex,
            store: TokenStore, revocation: Revocation, oneTime: OneTimeStore, master: MasterKey, http: OutgoingHTTP?,
            outgoing: OutgoingHTTP, hasher: PasswordHasher, clock: WallClock,
            randomness: Randomness, logger: Logger
        ) {
            (self.issuer, self.version, self.allowsLoopback) = (issuer, version, allowsLoopback)
            (self.dependencies, self.clients, self.store, self.revocation) = (dependencies, clients, store, revocation)
            self.index = index
            (self.oneTime, self.master, self.http, self.outgoing) = (oneTime, master, http, outgoing)
            self.hasher = hasher
            (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
        }

        /// The URL of this host's root.
        public var root: String { issuer.withoutQuery }
        public var database: Database { store.database }
        /// Whether a login may ring a phone.
        public var pushes: PushAllowance { PushAllowance(database: database, clock: clock) }

        /// `nil` where it runs for logins alone.
        public func role(_ profile: ServiceProfile) -> ServiceRole? {
            isServed ? ServiceRole(profile, on: dependencies) : nil
        }
    }
}
