import Base
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `refresh_token` (RFC 6749, 6; RFC 9700, 4.14.2): rotates; a lost answer may be asked for again; reuse ends the family.
public struct RefreshTokenGrant: Grant {
    public let type = GrantType.refreshToken
    let realm: Realm
    let families: RefreshFamily
    let revocation: Revocation
    let writer: AccessTokenWriter
    let lifetimes: Lifetimes

    public init(realm: Realm, store: TokenStore, revocation: Revocation, writer: AccessTokenWriter, lifetimes: Lifetimes) {
        (self.realm, families, self.revocation) = (realm, RefreshFamily(store: store), revocation)
        (self.writer, self.lifetimes) = (writer, lifetimes)
    }

    public func issue(_ request: TokenRequest, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard case .refreshToken(let text, let clientID, let scope, let resource) = request else { throw OAuthError(.serverError, "wrong grant") }
        guard caller.client == nil || clientID == nil || clientID == caller.client?.id else { throw refused }
        let lifetimes = self.lifetimes, named = caller.client?.id ?? clientID, client = caller.client, certificate = caller.request.certificate?.thumbprint
        let narrowed = try await narrowed(text, scope: scope, resource: resource)
        let rotation = try await families.rotate(text, realm: realm.id, jkt: caller.key?.jkt, scope: narrowed, lifetime: { lifetimes.of($0) }, admits: { body in
            RefreshTokenGrant.admits(body, named: named, client: client) && (body.claims.certificate == nil || body.claims.certificate == certificate)
        })
        switch rotation {
        case .child(let issued):
            let answer = try await writer.respond(issued)
            try await families.note(answered: issued)
            return answer
        case .otherScope(let granted):
            throw OAuthError(.invalidScope, "this refresh token was used, and the answer may have been lost: ask again for what you asked for then: \(granted ?? "")")
        case .refused:
            throw refused
        case .reused(let family):
            try await revocation.revoke(.token(family), by: caller.actor("server").because("refresh token used twice"))
            throw OAuthError(.invalidGrant, "the refresh token was used before; all that came of it has been ended. Log in again.")
        }
    }

    /// Within what was granted (RFC 6749, 6), for the audience it was granted for (RFC 8707, 2.2). Asked before anything is used.
    private func narrowed(_ text: String, scope: String?, resource: String?) async throws -> String? {
        guard scope != nil || resource != nil, let family = try await families.find(text), family.body.realm == realm.id else { return nil }
        if let resource, WebAddress(resource)?.description != WebAddress(family.body.claims.audience ?? realm.base)?.description {
            throw OAuthError(.invalidTarget, "resource is not the one that was authorized", status: 400)
        }
        guard let scope else { return nil }
        let granted = Scope(family.body.scope ?? "")?.names ?? []
        guard let asked = Scope(scope), asked.isSubset(of: granted) else { throw OAuthError(.invalidScope, "ask for what was granted, or less: \(family.body.scope ?? "")") }
        return asked.description
    }

    /// A client's own tokens want its authentication (its name where it has no secret); a bearer token at least its name (RFC 6749, 6); a bound one has shown its key.
    private static func admits(_ body: TokenBody, named: String?, client: WebClient?) -> Bool {
        if body.kind == .accessToken {
            return client?.id == body.client && client?.grantTypes.contains(GrantType.refreshToken.rawValue) == true
        }
        guard let named else { return body.jkt != nil }
        return named == body.client || named == body.bundle
    }

    private var refused: OAuthError {
        OAuthError(.invalidGrant, "the refresh token is unknown, revoked, or was not shown with the key and client it belongs to")
    }
}
