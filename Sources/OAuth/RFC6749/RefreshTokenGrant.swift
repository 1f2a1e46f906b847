import Base
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `refresh_token` (RFC 6749, 6; RFC 9700, 4.14.2): rotates; a lost answer may be asked for again for ten seconds; reuse ends the family.
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

    public func issue(_ request: TokenRequest, to caller: Caller) async throws -> TokenResponse {
        guard case .refreshToken(let text, let clientID) = request else { throw OAuthError(.serverError, "wrong grant") }
        guard caller.client == nil || clientID == nil || clientID == caller.client?.id else { throw refused }
        let lifetimes = self.lifetimes, named = caller.client?.id ?? clientID, isAuthenticated = caller.client != nil
        let rotation = try await families.rotate(text, realm: realm.id, jkt: caller.key?.jkt, lifetime: { lifetimes.of($0) }, admits: { body in
            RefreshTokenGrant.admits(body, named: named, isAuthenticated: isAuthenticated)
        })
        switch rotation {
        case .child(let issued):
            return try await writer.respond(issued)
        case .refused:
            throw refused
        case .reused(let family):
            try await revocation.cut(.token(family), by: caller.actor("server").because("refresh token used twice"))
            throw OAuthError(.invalidGrant, "the refresh token was used before; all that came of it has been ended. Log in again.")
        }
    }

    /// A client's own tokens want its authentication; a bearer token at least its name (RFC 6749, 6); a bound one has shown its key.
    private static func admits(_ body: TokenBody, named: String?, isAuthenticated: Bool) -> Bool {
        if body.kind == .accessToken, !isAuthenticated { return false }
        guard let named else { return body.jkt != nil }
        return named == body.client || named == body.bundle
    }

    private var refused: OAuthError {
        OAuthError(.invalidGrant, "the refresh token is unknown, revoked, or was not shown with the key and client it belongs to")
    }
}
