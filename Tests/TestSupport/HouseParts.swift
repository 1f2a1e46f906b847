import Accounts
import Base
import Database
import Federation
import Foundation
import HTTP
import IdentityProvider
import Keys
import Liquid
import Logging
import OAuth
import Operations
import Registration
import Tiqr
import TokenTree
import Viewer

/// The composition of the executable in small: the IdP, the service `learn`, tiqr, operations and liquid. Built of the rooms' public initialisers.
public struct HouseParts: Sendable {
    public static let root = "http://localhost:8080"
    public static let base = root + "/services/learn"
    public static let tokenEndpoint = base + "/token"
    public static let tiqrBase = root + "/services/tiqr"
    public static let operationsBase = root + "/services/operations"
    public static let liquidBase = root + "/services/liquid"
    public static let viewerScope = ViewerRoutes.scope
    public static let gradesScope = "org.example.grades"

    public struct Secrets: Sendable {
        let master: MasterKey
        let refresh: SecretBytes
        let names: SecretBytes
        let nonces: SecretBytes

        public init() throws {
            master = try MasterKey(SecretBytes([UInt8](repeating: 1, count: 32)))
            (refresh, names, nonces) = (Randomness.system.secret(), Randomness.system.secret(), Randomness.system.secret())
        }
    }

    public let database: Database
    public let time: SettableClock
    public let partitions: PartitionKeeper
    public let store: TokenStore
    public let keys: SigningKeys
    public let names: PairwiseNames
    public let revocation: Revocation
    public let keyRevocation: KeyRevocation
    public let hasher: PasswordHasher
    public let clients: ClientAuthentication
    public let sender: EventSender
    public let logouts: LogoutSender
    public let nonces: ServerNonce
    /// Reads every question until somebody runs its `watch`.
    public let discovery: ProtocolQuery
    public let tiqr: TiqrService
    public let operations: OperationsService
    public let powerAuth: PowerAuthService
    public let approvals: ApprovalLogin
    public let liquid: LiquidService
    public let passkeys: PasskeyLogin
    public let idp: AuthorizationServer
    public let routes: RouteTable

    public init(_ database: Database, secrets: Secrets, time: SettableClock, wire: Wire, signing: SigningKeys.Settings = .init(), options: HouseOptions = .init(),
                health: CrawlHealth? = nil, logger: Logger) {
        let clock = time.clock, issuer = HouseParts.root, lifetimes = Lifetimes()
        (self.database, self.time) = (database, time)
        partitions = PartitionKeeper(database: database, clock: clock, logger: logger)
        let keys = SigningKeys(database: database, masterKey: secrets.master, settings: signing, clock: clock, randomness: .system, logger: logger)
        self.keys = keys
        store = TokenStore(database: database, refreshKey: secrets.refresh, partitions: partitions, clock: clock, randomness: .system,
                           signer: { try await keys.signer(certain: $0, in: $1) })
        let oneTime = OneTimeStore(database: database, partitions: partitions)
        names = PairwiseNames(key: secrets.names)
        let outbox = Outbox(names: names, clock: clock, randomness: .system)
        let ended: Revocation.Ending = { ancestor, executor in
            try await LogoutQueue(clock: clock).ended(ancestor, in: executor)
            try await SessionRevocations(clock: clock).ended(ancestor, in: executor)
        }
        revocation = Revocation(store: store, ended: ended) { node, services, executor in try await outbox.ended(node, services: services, in: executor) }
        keyRevocation = KeyRevocation(keys: keys, revocation: revocation, outbox: outbox)
        let registration = InstanceRegistration(store: store, revocation: revocation, oneTime: oneTime, issuer: issuer, lifetime: lifetimes.instanceToken,
                                                announceMove: { try await outbox.moved($0, from: $1, to: $2, services: $3, in: $4) }, clock: clock, randomness: .system)
        hasher = PasswordHasher(randomness: .system)
        sender = EventSender(database: database, keys: keys, issuer: issuer, push: { try await wire.push($1, to: $0) }, clock: clock, logger: logger)
        logouts = LogoutSender(database: database, keys: keys, issuer: issuer, post: { try await wire.push($1, to: $0) }, clock: clock, logger: logger)
        let remoteKeys = RemoteKeys(fetch: { try await wire.fetch($0) }, clock: clock)
        nonces = ServerNonce(key: secrets.nonces, demand: options.nonces, clock: clock)
        let dependencies = ServiceRole.Dependencies(issuer: issuer, store: store, revocation: revocation, oneTime: oneTime, keys: keys, remoteKeys: remoteKeys, names: names,
                                        lifetimes: lifetimes, clock: clock, nonces: nonces)
        clients = ClientAuthentication(database: database, oneTime: oneTime, remoteKeys: remoteKeys, issuer: issuer, clock: clock, randomness: .system)
        discovery = ProtocolQuery(database: database)
        let login = PasswordLogin(database: database, hasher: hasher, clock: clock, open: store.openPassword)
        let tiqr = TiqrService(database: database, master: secrets.master, settings: HouseParts.tiqrSettings, routes: options.pushes, clock: clock,
                               randomness: .system)
        self.tiqr = tiqr
        let operations = OperationsService(database: database, master: secrets.master, settings: HouseParts.operationsSettings(options), oneTime: oneTime,
                                           clock: clock, randomness: .system, logger: logger)
        self.operations = operations
        let powerAuth = PowerAuthService(database: database, master: secrets.master, oneTime: oneTime,
                                         settings: PowerAuthSettings(displayName: "Test house", version: "1"), events: operations.registrationEvents,
                                         clock: clock, randomness: .system, logger: logger)
        self.powerAuth = powerAuth
        let approvals = ApprovalLogin(operations, powerAuth, name: "Test house", scheme: "pando")
        self.approvals = approvals
        let liquid = LiquidService(store: store, revocation: revocation, master: secrets.master, settings: HouseParts.liquidSettings(options), clock: clock,
                                   randomness: .system, logger: logger)
        self.liquid = liquid
        let passkeys = PasskeyLogin(liquid)
        self.passkeys = passkeys
        let allowance = PushAllowance(database: database, clock: clock)
        let services = HouseParts.services(dependencies, options, clients: clients, tiqr: tiqr, approvals: approvals, powerAuth: powerAuth, operations: operations,
                                           liquid: liquid, passkeys: passkeys, pushes: allowance)
        let logins = services.compactMap(\.login)
        let idp = AuthorizationServer(.init(registration: registration, clients: clients, login: login, hasher: hasher,
                                         passwordRule: HouseParts.passwordRule, randomness: .system, takesCertificates: options.takesCertificates,
                                         discovery: discovery, factors: logins.flatMap(\.factors)), on: dependencies)
        self.idp = idp
        let registrations = RegisterClient(database: database, revocation: revocation, issuer: issuer, algorithms: signing.algorithms, allowsLoopback: true,
                                           fetch: { try await wire.fetch($0) }, clock: clock, randomness: .system)
        let provider = HostedService.identityProvider(idp, logins: logins, registrations: registrations, crawler: health,
                                                      services: services.compactMap { $0.role?.profile }, database: database)
        routes = RouteTable(root: issuer, services: [provider] + services, database: database, proxies: options.proxies, nonces: nonces)
    }

    private static func services(
        _ dependencies: ServiceRole.Dependencies, _ options: HouseOptions, clients: ClientAuthentication, tiqr: TiqrService, approvals: ApprovalLogin,
        powerAuth: PowerAuthService, operations: OperationsService, liquid: LiquidService, passkeys: PasskeyLogin, pushes: PushAllowance
    ) -> [HostedService] {
        let learn = ServiceRole(profile, on: dependencies)
        let viewer = HostedService.viewer(learn, root: root)
        let grades = HostedService("grades", endpoints: GradesRoutes.endpoints(learn, scope: gradesScope, root: root))
        let doors = OperationsEndpoints(powerAuth: powerAuth, operations: operations, basic: options.takesBasic ? clients : nil)
        let hasFactors = options.hasFactors
        return options.services(dependencies, root) + [
            viewer, grades,
            .tiqr(tiqr, role: ServiceRole(.tiqr(root), on: dependencies), login: hasFactors ? .tiqr(TiqrLogin(tiqr), pushes: pushes) : nil, root: root),
            .operations(doors, role: ServiceRole(.operations(root), on: dependencies), login: hasFactors ? .operations(approvals, pushes: pushes) : nil, root: root),
            .liquid(HouseParts.doors(liquid, options), role: ServiceRole(.liquid(root), on: dependencies),
                    login: hasFactors ? .passkeys(passkeys, randomness: .system) : nil, root: root),
        ]
    }

    /// The list that comes with the program.
    public static let commonPasswordsFile = Checkout.folder("passwords/common.txt")
    public static let passwordRule = PasswordRule(serviceNames: ["Pando"]) { try CommonPasswords(file: commonPasswordsFile) }

    /// `BASE/attributes` answers to the one scope, `BASE/grades` is guarded by the other.
    static let profile = ServiceProfile(id: "learn", name: "Learn", base: base, offers: [.init(viewerScope, path: "/attributes"), .init(gradesScope, path: "/grades")],
                                        claims: ["email", "name"])

    static let tiqrSettings = TiqrSettings(base: tiqrBase, root: root, defaultIdentifier: "localhost", displayName: "Test house", logoURL: tiqrBase + "/logo.png",
                                           infoURL: root + "/")

    public static let links = AppLinks(android: [.init(package: "org.example.wallet", fingerprints: [Array(0..<32)])], apple: ["TEAMID1234.org.example.wallet"])
    static func liquidSettings(_ options: HouseOptions) -> LiquidSettings {
        LiquidSettings(rpID: "localhost", name: "Test house", origins: options.pages.union(links.android.flatMap(\.origins)), houseOrigins: [root])
    }
    static func doors(_ liquid: LiquidService, _ options: HouseOptions) -> LiquidEndpoints {
        LiquidEndpoints(liquid, links: links, isCrossSite: !options.pages.isEmpty, conformance: options.isTested ? ConformanceService(liquid) : nil)
    }

    static func operationsSettings(_ options: HouseOptions) -> OperationsSettings {
        OperationsSettings(base: operationsBase, allowsLoopbackCallbacks: true, sendsPushes: options.ringsApprovers)
    }
}
