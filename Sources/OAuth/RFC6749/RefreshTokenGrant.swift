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
        let client = caller.client?.id ?? clientID
        guard caller.client == nil || clientID == nil || clientID == caller.client?.id else { throw refused }
        let lifetimes = self.lifetimes
        switch try await families.rotate(text, realm: realm.id, jkt: caller.key?.jkt, client: client, lifetime: { lifetimes.of($0) }) {
        case .child(let issued):
            if issued.row.body.kind == .accessToken, caller.client == nil { throw refused }
            return try await writer.respond(issued)
        case .refused:
            throw refused
        case .reused(let family):
            try await revocation.cut(.token(family), by: caller.actor("server").because("refresh token used twice"))
            throw OAuthError(.invalidGrant, "the refresh token was used before; all that came of it has been ended. Log in again.")
        }
    }

    private var refused: OAuthError {
        OAuthError(.invalidGrant, "the refresh token is unknown, revoked, or was not shown with the key and client it belongs to")
    }
}
