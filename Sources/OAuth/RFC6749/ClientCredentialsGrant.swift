import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `client_credentials` (RFC 6749, 4.4): an app instance registers or moves to a newer version; a machine gets an ordinary access token.
public struct ClientCredentialsGrant: Grant {
    public let type = GrantType.clientCredentials
    let realm: Realm
    let store: TokenStore
    let registration: InstanceRegistration
    let index: ServiceIndex
    let clients: WebClientStore
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes

    public init(realm: Realm, store: TokenStore, registration: InstanceRegistration, index: ServiceIndex, clients: WebClientStore, writer: AccessTokenWriter,
                lifetimes: Lifetimes) {
        (self.realm, self.store, self.registration, self.index, self.clients) = (realm, store, registration, index, clients)
        (self.writer, self.lifetimes) = (writer, lifetimes)
    }

    public func issue(_ request: TokenRequest, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard case .clientCredentials(_, let scope, let resource) = request else { throw OAuthError(.serverError, "wrong grant") }
        if let (jwt, version) = caller.registration {
            let registered = if let holder = caller.holder {
                try await registration.upgrade(jwt, version: version, holder: try instance(holder))
            } else {
                try await registration.register(jwt, version: version, jkt: caller.key?.jkt, actor: caller.actor("version:\(version.id)"))
            }
            return try await writer.respond(registered.token, clientID: registered.instance.id)
        }
        guard let client = caller.client else { throw OAuthError(.invalidClient, "client authentication failed: check client_id, secret and method") }
        guard client.grantTypes.contains(type.rawValue) else { throw OAuthError(.unauthorizedClient, "this client is not registered for \(type.rawValue)") }
        let scopes = try ClientCredentialsGrant.scope(scope, of: client)
        let target = try await target(resource), certificate = try CertificateBinding.of(client, caller.request)
        let issued = try await store.database.atomically { transaction in
            let ancestors = [.epoch, Ancestor(.client, client.id)] + (target.map { [Ancestor(.service, $0.id)] } ?? [])
            let generations = try await store.generations(of: ancestors, in: transaction)
            guard try await clients.offered(type, scope: scopes.flatMap { Scope($0) }, to: client.id, in: transaction) != nil else {
                throw OAuthError(.invalidClient, "the client is no longer registered for this")
            }
            let claims = TokenClaims(audience: target?.base ?? realm.base, key: caller.key?.key.bare, certificate: certificate)
            let body = TokenBody(realm: realm.id, kind: .accessToken, parent: nil, anchor: generations[1], client: client.id, scope: scopes,
                                 jkt: caller.key?.jkt, claims: claims)
            return try await store.issue(TokenDraft(body, inherited: [], added: generations, lifetime: lifetimes.accessToken), in: transaction)
        }
        return try await writer.respond(issued)
    }

    private func instance(_ holder: AuthenticatedToken) throws -> TokenRow {
        guard holder.token.body.kind == .instanceToken else { throw OAuthError(.invalidClient, "an upgrade is asked for with the instance token") }
        return holder.token
    }

    /// Within what is registered; all of it when none is asked for, but for the words that need a person.
    private static func scope(_ asked: String?, of client: WebClient) throws -> String? {
        let registered = Scope(client.scope)?.names ?? []
        guard let asked else { return Scope(names: registered.filter { !["openid", "profile", "email"].contains($0) }).description }
        guard let scope = Scope(asked), scope.isSubset(of: registered) else { throw OAuthError(.invalidScope, "ask for registered scopes only: \(client.scope)") }
        return scope.description
    }

    /// RFC 8707: an active service, by its base URL; `nil` for the IdP itself, also when none is named.
    private func target(_ resource: String?) async throws -> FederationService? {
        guard let resource, WebAddress(resource)?.description != WebAddress(realm.base)?.description else { return nil }
        guard let service = try await index.active(resource, in: store.database) else {
            throw OAuthError(.invalidTarget, "resource is not an active service of this federation", status: 400)
        }
        return service
    }
}
