import Accounts
import Base
import Database
import HTTP
import Liquid
import Logging
import OAuth
import Registration
import Tiqr
import Viewer

/// The products of this server, a line each. To add one: a target of its own, and its line here (docs/add-a-service.md).
extension Product {
    public static let all: [Product] = [
        .service("viewer") { .viewer(on: $0.dependencies, root: $0.root) },
        .tiqr,
        .operations,
        .liquid,
    ]
}

/// A product before it is made: its name, and how it is made of what the server has.
public struct Product: Sendable {
    /// That of its role among the settings.
    public let name: String
    /// `isServed`: this process has its role. `nil` where this process needs nothing of it.
    let make: @Sendable (_ context: Context, _ isServed: Bool) throws -> HostedService?

    /// One that is a service of the federation and nothing else.
    public static func service(_ name: String, _ make: @escaping @Sendable (Context) -> HostedService) -> Product {
        Product(name: name) { context, isServed in isServed ? make(context) : nil }
    }

    /// What the composition hands to each.
    public struct Context: Sendable {
        let settings: Settings
        public let dependencies: ServiceRole.Dependencies
        let clients: ClientAuthentication
        /// Whether a login may ring a phone.
        let pushes: PushAllowance
        let tiqr: TiqrService?
        let operations: OperationsServices?
        let liquid: LiquidService?
        /// `nil` in a process without workers, which reads no files for them.
        let http: OutgoingHTTP?
        let database: Database
        let randomness: Randomness
        let logger: Logger

        /// The URL of this host's root.
        public var root: String { settings.root }

        func role(_ profile: ServiceProfile, _ isServed: Bool) -> ServiceRole? {
            isServed ? ServiceRole(profile, on: dependencies) : nil
        }

        /// `method` where the people of the IdP log in by that factor, in the processes that run the IdP.
        func login(_ factor: Settings.LoginFactor, _ method: () -> LoginMethod) -> LoginMethod? {
            settings.roles.contains(.idp) && settings.logsIn(by: factor) ? method() : nil
        }

        /// Makes those of this process, each once.
        func makeServices() throws -> [HostedService] {
            try settings.products.compactMap { try $0.make(self, settings.roles.contains(Settings.Role($0.name))) }
        }
    }
}
