import Base
import Database
import Federation
import Registration
import TokenTree
import Vocabulary

/// A service of the federation that calls the IdP as itself.
public final class ServiceAuthentication: Sendable {
    let clients: ClientAuthentication
    let check: ResourceCheck
    let index: ServiceIndex
    let database: Database

    init(clients: ClientAuthentication, check: ResourceCheck, index: ServiceIndex, database: Database) {
        (self.clients, self.check, self.index, self.database) = (clients, check, index, database)
    }

    /// The service (active or suspended) whose client the request authenticates: `client_secret_basic`,
    /// `private_key_jwt` members in the body, or a bearer access token of its client with one of `scopes`. Throws
    /// `OAuthError`: 401 `invalid_client`/`invalid_token`, 403 `insufficient_scope`.
    public func require(
        _ request: PresentedRequest, _ parameters: OAuthParameters?, scopes: [String]
    ) async throws -> FederationService {
        let parameters = parameters ?? OAuthParameters([:])
        if let client = try await clients.authenticate(request, parameters) {
            guard let service = try await service(of: client.id) else {
                throw OAuthError(.invalidClient, "this client is no service of the federation")
            }
            return service
        }
        guard let holder = try await check.holder(request) else {
            throw OAuthError(.invalidClient, "authenticate as the client of your service")
        }
        let body = holder.token.body
        guard body.kind == .accessToken, body.account == nil, body.parent == nil, let client = body.client,
            let held = Scope(body.scope ?? ""), scopes.contains(where: { held.contains($0) }),
            let service = try await service(of: client)
        else {
            throw OAuthError(
                .insufficientScope,
                "this needs a service's own token with scope \(scopes.joined(separator: " or "))",
                members: ["scope": scopes.first ?? ""])
        }
        return service
    }

    private func service(of client: String) async throws -> FederationService? {
        guard let service = try await index.find(client: client, in: database),
            [.active, .suspended].contains(service.status)
        else { return nil }
        return service
    }
}
