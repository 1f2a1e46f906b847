import Accounts
import Base
import Commands
import Database
import Federation
import Foundation
import HTTP
import Keys
import Liquid
import Logging
import OAuth
import Operations
import Passkeys
import Registration
import Server
import Tiqr
import TokenTree
import Viewer

/// What the executable starts, with a service of the tests' own, `learn`, in place of the viewer; and names for its
/// parts.
public struct ServerParts: Sendable {
    public static let root = "http://localhost:8080"
    public static let base = root + "/services/learn"
    public static let tokenEndpoint = base + "/token"
    public static let tiqrBase = root + "/services/tiqr"
    public static let operationsBase = root + "/services/operations"
    public static let liquidBase = root + "/services/liquid"
    public static let viewerScope = ViewerRoutes.scope
    public static let gradesScope = "org.example.grades"

    public typealias Secrets = Composition.Secrets

    public let composition: Composition
    public let time: SettableClock
    public let keyRevocation: KeyRevocation
    public let idp: AuthorizationServer
    public let tiqr: TiqrService
    public let operations: OperationsService
    public let powerAuth: PowerAuthService
    public let approvals: ApprovalLogin
    public let liquid: LiquidService
    public let routes: RouteTable

    public var database: Database { composition.database }
    public var partitions: PartitionKeeper { composition.partitions }
    public var store: TokenStore { composition.store }
    public var keys: SigningKeys { composition.keys }
    public var names: PairwiseNames { composition.names }
    public var revocation: Revocation { composition.revocation }
    public var hasher: PasswordHasher { composition.hasher }
    public var clients: ClientAuthentication { composition.clients }
    public var sender: EventSender { composition.eventSender }
    public var logouts: LogoutSender { composition.logoutSender }
    public var nonces: ServerNonce { composition.nonces }
    /// Reads every question until somebody runs its `watch`.
    public var discovery: ProtocolQuery { composition.discovery }

    struct Incomplete: Error {}

    /// Where people log in with them (`TestServerOptions.hasFactors`).
    public var passkeys: PasskeyLogin {
        get throws {
            guard let passkeys = composition.product(PasskeyLogin.self) else { throw Incomplete() }
            return passkeys
        }
    }

    public init(
        _ database: Database, secrets: Secrets, time: SettableClock, wire: Wire,
        signing: SigningKeys.Settings = .init(), options: TestServerOptions = .init(),
        logger: Logger
    ) async throws {
        composition = try await Composition(
            try await options.settings(), database: database, logger: logger, isServing: options.isServing,
            clock: time.clock, databaseClock: .following(time.clock),
            secrets: secrets, signing: signing,
            http: wire.outgoing.traced, administration: .ofServer)
        self.time = time
        keyRevocation = KeyRevocation(
            keys: composition.keys, revocation: composition.revocation, outbox: composition.outbox)
        guard let idp = composition.idp, let tiqr = composition.product(TiqrService.self),
            let operations = composition.product(OperationsServices.self),
            let liquid = composition.product(LiquidService.self)
        else {
            throw Incomplete()
        }
        (self.idp, self.tiqr, self.operations, powerAuth, self.liquid) = (
            idp, tiqr, operations.operations, operations.powerAuth, liquid
        )
        (approvals, routes) = (operations.approvals, composition.routes(traces: options.traces))
    }

    /// The list that comes with the program.
    public static let commonPasswordsFile = Checkout.folder("passwords/common.txt")
    public static let passwordRule = PasswordRule(serviceNames: ["Pando"]) {
        try CommonPasswords(file: commonPasswordsFile)
    }

    /// `BASE/attributes` answers to the one scope, `BASE/grades` is guarded by the other.
    private static let profile = ServiceProfile(
        id: "learn", name: "Learn", base: base,
        offers: [.init(viewerScope, path: "/attributes"), .init(gradesScope, path: "/grades")],
        claims: ["email", "name"])

    static let products: [Product] = [
        .service("learn") { .viewer(ServiceRole(profile, on: $0.dependencies), root: root) },
        .service("grades") {
            HostedService(
                "grades",
                endpoints: GradesRoutes.endpoints(
                    ServiceRole(profile, on: $0.dependencies), scope: gradesScope, root: root))
        },
    ]

    public static let links = AppLinks(
        android: [.init(package: "org.example.wallet", fingerprints: [Array(0..<32)])],
        apple: ["TEAMID1234.org.example.wallet"])
}

extension Composition.Secrets {
    /// Of one server; whoever is another process of it has the same.
    public static func ofTests() throws -> Composition.Secrets {
        let randomness = Randomness.system
        return Composition.Secrets(
            master: try MasterKey(SecretBytes([UInt8](repeating: 1, count: 32))), refreshTokens: randomness.secret(),
            pairwiseNames: randomness.secret(),
            proofNonces: randomness.secret())
    }
}
