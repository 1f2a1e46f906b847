import Database
import Federation
import Registration
import TokenTree
import Vocabulary

/// A service of the federation that calls the IdP as itself.
public final class ServiceAuthentication: Sendable {
    let check: ResourceCheck
    let clients: ClientAuthentication
    let index: ServiceIndex
    let database: Database

    init(check: ResourceCheck, clients: ClientAuthentication, index: ServiceIndex, database: Database) {
        (self.check, self.clients, self.index, self.database) = (check, clients, index, database)
    }

    /// The service (active or suspended) whose client the request authenticates: `client_secret_basic`,
    /// `private_key_jwt` members in the body, or a bearer access token of its client with one of `scopes`. Throws
    /// `OAuthError`: 401 `invalid_client` or `invalid_token`, 403 `insufficient_scope`.
    ///
    /// `parameters` are those of the body; `nil` where there is none.
    public func require(
        _ request: PresentedRequest, _ parameters: OAuthParameters?, scopes: [String]
    ) async throws -> FederationService {
        if let client = try await clients.authenticate(request, parameters ?? OAuthParameters([:])) {
            return try await service(of: client.id, else: .invalidClient)
        }
        guard let holder = try await check.holder(request) else {
            throw OAuthError(.invalidClient, "authenticate as a service of the federation, or show a token of its own")
        }
        return try await service(of: try ServiceAuthentication.client(holder, scopes), else: .invalidToken)
    }

    /// A token that a person stands behind is no service's, whatever its scope.
    private static func client(_ holder: AuthenticatedToken, _ scopes: [String]) throws -> String {
        let body = holder.token.body, held = Scope(body.scope ?? "")?.names ?? []
        guard body.kind == .accessToken, body.account == nil, body.parent == nil, body.bundle == nil,
            let client = body.client, scopes.contains(where: { held.contains($0) })
        else {
            throw OAuthError(
                .insufficientScope,
                "this needs a token that a service got for itself, with scope \(scopes.joined(separator: " or "))",
                members: ["scope": scopes.first ?? ""])
        }
        return client
    }

    private func service(of client: String, else code: OAuthError.Code) async throws -> FederationService {
        guard let service = try await index.find(client: client, in: database),
            [.active, .suspended].contains(service.status)
        else { throw OAuthError(code, "this client is no service of the federation") }
        return service
    }
}
