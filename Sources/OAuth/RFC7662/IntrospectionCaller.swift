import Base
import Database
import Federation
import Registration
import TokenTree
import Vocabulary

/// Who may look at and end tokens besides their holders: a web client, or a service of the federation.
public enum IntrospectionCaller: Sendable {
    case holder(AuthenticatedToken)
    case client(WebClient)
    case service(FederationService, client: WebClient)

    /// `aud` of a signed answer.
    public var clientID: String {
        switch self {
        case .holder(let holder): holder.token.body.bundle ?? holder.token.body.client ?? ""
        case .client(let client), .service(_, let client): client.id
        }
    }

    /// Holds while what is known of the client is so still; `nil` for the holder of a token, which was just read.
    var isUnchanged: SQL? {
        switch self {
        case .holder: nil
        case .client(let client): "\(client.isUnchanged) and \(ServiceIndex.hasNone(client: client.id))"
        case .service(let service, let client): "\(client.isUnchanged) and \(service.isUnchanged)"
        }
    }

    private var client: WebClient? {
        switch self {
        case .holder: nil
        case .client(let client), .service(_, let client): client
        }
    }

    /// What changes when `isUnchanged` ceases to hold, and what was known when all of it was read.
    var fact: (name: String, known: Leases.Known?)? { client.map { ("client:\($0.id)", $0.asOf) } }

    /// The row that was read to find out who asks.
    var token: TokenRow? { if case .holder(let holder) = self { holder.token } else { nil } }

    /// Without the rest that is known, where the client's row is another one now.
    func with(_ client: WebClient) -> IntrospectionCaller {
        replacing(client, asOf: self.client.flatMap { client.hasChanged(since: $0) ? nil : $0.asOf })
    }

    func seen(_ known: Leases.Known?) -> IntrospectionCaller { client.map { replacing($0, asOf: known) } ?? self }

    private func replacing(_ client: WebClient, asOf known: Leases.Known?) -> IntrospectionCaller {
        var client = client
        client.asOf = known
        return switch self {
        case .holder: self
        case .client: .client(client)
        case .service(let service, _): .service(service, client: client)
        }
    }

    func actor(_ request: PresentedRequest) -> AuditActor {
        switch self {
        case .holder(let holder): holder.actor(request)
        case .client(let client): AuditActor(name: "client:\(client.id)", origin: request.origin)
        case .service(let service, _): AuditActor(name: "service:\(service.id)", origin: request.origin)
        }
    }
}

/// Finds out which party asks at introspection, revocation and validation.
public final class IntrospectionAccess: Sendable {
    let check: ResourceCheck
    let clients: ClientAuthentication?
    let index: ServiceIndex
    let database: Database
    private let known = BoundedMemory<String, IntrospectionCaller>(most: 10_000)

    public init(check: ResourceCheck, clients: ClientAuthentication?, index: ServiceIndex, database: Database) {
        (self.check, self.clients, self.index, self.database) = (check, clients, index, database)
    }

    /// As it is now, in all that is told of the client.
    public func require(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> IntrospectionCaller
    {
        if let client = try await clients?.authenticate(request, parameters, isCounted: false) {
            return try await read(client)
        }
        return try await holder(request)
    }

    /// What `use` makes of the party that asks, of which it may have read the client longer ago: then `use` throws
    /// `ConditionFailed` unless its `isUnchanged` holds, and is called again.
    ///
    /// `allowingPublic`: a public client may be the one, by its name, unless it shows a token, which says more.
    public func using<Value>(
        _ request: PresentedRequest, _ parameters: OAuthParameters, allowingPublic: Bool = false,
        _ use: (IntrospectionCaller) async throws -> Value
    ) async throws -> Value {
        let showsToken = request.credentials.map { $0.scheme != "basic" } ?? false
        let allowingPublic = allowingPublic && !showsToken
        guard let clients,
            let client = try await clients.authenticate(
                request, parameters, allowingPublic: allowingPublic, remembered: true, isCounted: false)
        else {
            return try await use(try await holder(request))
        }
        let remembered = known[client.id]?.with(client)
        var caller = if let remembered { remembered } else { try await read(client) }
        for _ in 0..<3 {
            do {
                let now = check.lookup.store.leases.known, value = try await use(caller)
                // It was so when this was asked, be it by the database or from memory.
                if let now, caller.fact?.known != now { known[client.id] = caller.seen(now) }
                return value
            } catch is ConditionFailed {
                caller = try await read(
                    try await clients.renewed(request, parameters, allowingPublic: allowingPublic))
            }
        }
        throw DatabaseError.serialization
    }

    private func read(_ client: WebClient) async throws -> IntrospectionCaller {
        let service = try await index.find(client: client.id, in: database)
        let caller = service.map { IntrospectionCaller.service($0, client: client) } ?? .client(client)
        known[client.id] = caller
        return caller
    }

    private func holder(_ request: PresentedRequest) async throws -> IntrospectionCaller {
        if let holder = try await check.holder(request) { return .holder(holder) }
        throw OAuthError(
            clients == nil ? .invalidToken : .invalidClient,
            "authenticate as a client, or show a token of yours with its proof")
    }
}
