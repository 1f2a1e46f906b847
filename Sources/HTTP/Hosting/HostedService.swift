import Accounts
import Base
import Hummingbird
import OAuth
import ServiceLifecycle

/// What a product gives the server, which holds a list of these and knows no product by name: its role in the
/// federation, what it serves, how people of the IdP log in with it, and what runs beside.
public struct HostedService: Sendable {
    /// The name of its role among the settings (`roles`), and of what is logged about it.
    public let name: String
    /// What its commands and tests work with.
    public let model: (any Sendable)?
    /// Its place among the services, with the kit's endpoints; `nil` for what is no service, and where it runs for
    /// logins alone.
    public let role: ServiceRole?
    /// What it serves besides the kit.
    let endpoints: [Endpoint]
    /// What its endpoints tell of bodies and answers, for `/openapi.yaml`.
    let schemas: [OpenAPISchema]
    /// How its protocol tells errors, where that is another way than OAuth's.
    let errors: (any MiddlewareProtocol<Request, Response, RoutedContext>)?
    /// How people of the IdP log in with it; `nil` where they do not.
    public let login: LoginMethod?
    /// Who knows passwords of the IdP's people besides; `nil` where it knows none.
    public let passwords: PasswordDirectory?
    /// What runs as long as the server does.
    public let workers: [Worker]
    /// Every ten minutes: rows that nobody waits for any more.
    public let housekeeping: (@Sendable () async throws -> Void)?

    public init(
        _ name: String, model: (any Sendable)? = nil, role: ServiceRole? = nil, endpoints: [Endpoint] = [],
        schemas: [OpenAPISchema] = [],
        errors: (any MiddlewareProtocol<Request, Response, RoutedContext>)? = nil, login: LoginMethod? = nil,
        passwords: PasswordDirectory? = nil, workers: [Worker] = [],
        housekeeping: (@Sendable () async throws -> Void)? = nil
    ) {
        (self.model, self.passwords) = (model, passwords)
        (self.name, self.role, self.endpoints, self.schemas, self.errors) = (name, role, endpoints, schemas, errors)
        (self.login, self.workers, self.housekeeping) = (login, workers, housekeeping)
    }
}

/// A long task as a service: cancelled at graceful shutdown, so that what it has in hand ends and nothing new begins.
public struct Worker: Service {
    let name: String
    let body: @Sendable () async throws -> Void

    public init(name: String, body: @escaping @Sendable () async throws -> Void) {
        (self.name, self.body) = (name, body)
    }

    public func run() async throws {
        try await cancelWhenGracefulShutdown { try await body() }
    }
}
