import Base
import Database
import Federation
import Registration
import TokenTree
import Vocabulary

/// A service of the federation that calls the IdP as itself.
public final class ServiceAuthentication: Sendable {
    private let check: ResourceCheck
    private let clients: ClientAuthentication
    private let index: ServiceIndex
    private let database: Database

    public init(check: ResourceCheck, clients: ClientAuthentication, index: ServiceIndex, database: Database) {
        (self.check, self.clients, self.index, self.database) = (check, clients, index, database)
    }

    /// The service (active or suspended) whose client the request authenticates: `client_secret_basic`,
    /// `private_key_jwt` members in the body, or a bearer access token of its client with one of `scopes`. Throws
    /// `OAuthError`: 401 `invalid_client`/`invalid_token`, 403 `insufficient_scope`.
    public func require(
        _ request: PresentedRequest, _ parameters: OAuthParameters?, scopes: [String]
    ) async throws -> FederationService {
        let client: String
        if let shown = try await clients.authenticate(request, parameters ?? OAuthParameters([:])) {
            client = shown.id
        } else if let holder = try await check.holder(request) {
            client = try machine(holder, scopes)
        } else {
            throw OAuthError(.invalidClient, "authenticate as the client of a service")
        }
        guard let service = try await index.find(client: client, in: database),
            [.active, .suspended].contains(service.status)
        else { throw OAuthError(.invalidClient, "this client is that of no service of the federation") }
        return service
    }

    /// A token that a person stands behind is none of the service's own.
    private func machine(_ holder: AuthenticatedToken, _ scopes: [String]) throws -> String {
        let body = holder.token.body, held = Scope(body.scope ?? "")?.names ?? []
        guard body.kind == .accessToken, body.account == nil, let client = body.client,
            scopes.contains(where: { held.contains($0) })
        else {
            throw OAuthError(
                .insufficientScope, "this needs a service's own token with scope \(scopes.joined(separator: " or "))",
                members: ["scope": scopes.first ?? ""])
        }
        return client
    }
}
