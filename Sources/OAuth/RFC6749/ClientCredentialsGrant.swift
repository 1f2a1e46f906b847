import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// `client_credentials` (RFC 6749, 4.4): an app instance registers or moves to a newer version; a machine gets an
/// ordinary access token.
public struct ClientCredentialsGrant: Grant {
    public let type = GrantType.clientCredentials
    let realm: Realm
    let store: TokenStore
    let registration: InstanceRegistration
    let index: ServiceIndex
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes

    public init(
        realm: Realm, store: TokenStore, registration: InstanceRegistration, index: ServiceIndex,
        writer: AccessTokenWriter,
        lifetimes: Lifetimes
    ) {
        (self.realm, self.store, self.registration, self.index) = (realm, store, registration, index)
        (self.writer, self.lifetimes) = (writer, lifetimes)
    }

    /// RFC 6749, 4.4. An instance registers by `assertion`; a machine names what it wants.
    public struct Request: Sendable {
        let assertion: String?
        let scope: String?
        let resource: String?
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        Request(
            assertion: try parameters["client_assertion"], scope: try parameters["scope"],
            resource: try parameters["resource"])
    }

    /// By an assertion of an app version, in the body, or in the Authorization header, where eduID's bare request
    /// carries it (api.md); else as others do.
    public func authenticate(
        _ presented: PresentedRequest, _ parameters: OAuthParameters, for request: Request,
        by authentication: GrantAuthentication
    ) async throws -> AuthenticatedClient {
        let inBody = request.assertion
        let inHeader = presented.credentials.flatMap { $0.scheme == "bearer" && inBody == nil ? $0.value : nil }
        if inBody != nil,
            WireName.current(try parameters["client_assertion_type"] ?? "") != ClientAssertionType.jwtBearer
        {
            throw OAuthError(.invalidRequest, "client_assertion_type must be \(ClientAssertionType.jwtBearer)")
        }
        if inBody != nil, presented.credentials?.scheme == "basic" {
            throw OAuthError(.invalidRequest, "authenticate in one way only")
        }
        if let text = inBody ?? inHeader, let jwt = try? JWT(text), !authentication.isClient(jwt.string("iss")),
            let version = try await registration.version(of: jwt)
        {
            try authentication.clients?.limits.takeInstance(from: presented.origin)
            let holder = inBody == nil ? nil : try await authentication.check.holder(presented)
            let key =
                if let shown = holder?.key { shown } else {
                    try await authentication.proofs.dpop(presented, accessToken: nil)
                }
            return AuthenticatedClient(presented, registration: (jwt, version), holder: holder, key: key)
        }
        do {
            if let client = try await authentication.client(presented, parameters, remembered: true) { return client }
        } catch let refusal as OAuthError where refusal.description == ClientAuthentication.failed && inBody != nil {
            throw ClientCredentialsGrant.noVersion(refusal)
        }
        return try await authentication.holder(presented)
    }

    /// For an app whose version was never entered. It is told to everybody whose assertion is refused before a
    /// signature was found right, so it says of no client whether there is one; which versions there are, their
    /// assertions' own refusals tell anyway.
    private static func noVersion(_ refusal: OAuthError) -> OAuthError {
        OAuthError(
            .invalidClient,
            "\(refusal.description); iss of the assertion is no version of an app here, which is spelled APP.VERSION",
            cause: refusal.cause
        ).asked(by: refusal.client)
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        if let (jwt, version) = caller.registration {
            let registered =
                if let holder = caller.holder {
                    try await registration.upgrade(jwt, version: version, holder: try instance(holder))
                } else {
                    try await registration.register(
                        jwt, version: version, jkt: caller.key?.jkt, actor: caller.actor("version:\(version.id)"))
                }
            return try await writer.respond(registered.token, clientID: registered.id).with(sending: registered.sending)
        }
        guard var client = caller.client else {
            throw OAuthError(.invalidClient, ClientAuthentication.failed, cause: "no credentials of a client")
        }
        // What is known of the client may be out of date: the statement that issues sees to it.
        for _ in 0..<3 {
            do {
                let target = try await target(request.resource)
                return try await writer.respond(try await issue(request, to: client, at: target, caller))
            } catch is ConditionFailed {
                client = try await caller.renew?() ?? client
            } catch let refusal as OAuthError {
                guard let current = try await caller.renew?(), current.hasChanged(since: client) else { throw refusal }
                client = current
            }
        }
        throw DatabaseError.serialization
    }

    private func issue(
        _ request: Request, to client: WebClient, at target: FederationService?, _ caller: AuthenticatedClient
    ) async throws -> IssuedToken {
        guard client.grantTypes.contains(type.rawValue) else {
            throw OAuthError(.unauthorizedClient, "this client is not registered for \(type.rawValue)")
        }
        let scopes = try await scope(request.scope, of: client)
        let certificate = try CertificateBinding.of(client, caller.request)
        let own = OwnResource.named(request.resource, at: realm.base)
        let claims = TokenClaims(
            audience: own?.url(realm.base) ?? target?.base ?? realm.base, lineage: target?.namedForLineage,
            key: caller.key?.key.bare,
            certificate: certificate)
        let ancestors = [.epoch, Ancestor(.client, client.id)] + (target.map { [Ancestor(.service, $0.id)] } ?? [])
        return try await store.issue(below: ancestors) { generations in
            let body = TokenBody(
                realm: realm.id, kind: .accessToken, parent: nil, anchor: generations[1], client: client.id,
                scope: scopes, jkt: caller.key?.jkt, claims: claims)
            return TokenDraft(
                body, inherited: [], added: generations,
                lifetime: client.lifetimes.accessToken(usual: lifetimes.accessToken, limit: target?.tokenLifetime),
                condition: target.map { "\(client.isUnchanged) and \($0.isUnchanged)" } ?? client.isUnchanged)
        }
    }

    private func instance(_ holder: AuthenticatedToken) throws -> TokenRow {
        guard holder.token.body.kind == .instanceToken else {
            throw OAuthError(.invalidClient, "an upgrade is asked for with the instance token")
        }
        return holder.token
    }

    /// Within what is registered; all of it when none is asked for, but for the words that need a person. A service's
    /// client may have `ServiceScope` as well; of one that is a service no longer, the row of the client has changed.
    private func scope(_ asked: String?, of client: WebClient) async throws -> String? {
        let registered = Scope(client.scope)?.names ?? []
        guard let asked else {
            return Scope(names: registered.filter { !["openid", "profile", "email"].contains($0) }).description
        }
        guard let scope = Scope(asked) else { throw refused(of: client) }
        if scope.isSubset(of: registered) { return scope.description }
        guard scope.isSubset(of: Array(Set(registered).union(ServiceScope.all))),
            try await index.find(client: client.id, in: store.database) != nil
        else { throw refused(of: client) }
        return scope.description
    }

    private func refused(of client: WebClient) -> OAuthError {
        OAuthError(.invalidScope, "ask for registered scopes only: \(client.scope)")
    }

    /// RFC 8707: an active service, by its base URL; `nil` for the IdP itself, also when none is named, and for a
    /// resource of its own.
    private func target(_ resource: String?) async throws -> FederationService? {
        guard let resource, WebAddress(resource)?.description != WebAddress(realm.base)?.description,
            OwnResource.named(resource, at: realm.base) == nil
        else { return nil }
        guard let service = try await index.active(resource, in: store.database) else {
            throw OAuthError(.invalidTarget, "resource is not an active service of this federation", status: 400)
        }
        return service
    }
}
