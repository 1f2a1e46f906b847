import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Token exchange (RFC 8693): the standard way to a service assertion. From a personal access token, by the instance that holds it; or from what a web client
/// holds of a person — ID token, access token or refresh token — as draft-ietf-oauth-identity-assertion-authz-grant has it.
public struct TokenExchangeGrant: Grant {
    public let type = GrantType.tokenExchange
    let check: ResourceCheck
    let store: TokenStore
    let keys: SigningKeys
    let assertions: IssueAssertion
    let clock: WallClock

    public func issue(_ request: TokenRequest, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard case .tokenExchange(let subjectToken, let subjectType, let target, let requested) = request else { throw OAuthError(.serverError, "wrong grant") }
        guard let wanted = TokenType(wire: requested ?? TokenType.jwt.rawValue), [.jwt, .identityAssertion].contains(wanted) else {
            throw OAuthError(.invalidRequest, "requested_token_type must be \(TokenType.jwt.rawValue) or \(TokenType.identityAssertion.rawValue)")
        }
        let (subject, key) = if let client = caller.client {
            (try await held(subjectToken, type: subjectType, by: client), caller.key)
        } else {
            (try await personal(subjectToken, type: subjectType), ShownKey?.none)
        }
        guard let shown = caller.key else { throw OAuthError(.invalidProof, "show the key that the service's token is to be bound to, by a DPoP proof") }
        guard subject.body.jkt == nil || subject.body.jkt == shown.jkt else { throw OAuthError(.invalidGrant, "the proof is by another key than the subject_token's") }
        try checkCertificate(subject, caller)
        do {
            let granted = try await assertions.issue(subject, for: target, key: key)
            return TokenResponse(accessToken: granted.assertion, kind: .notApplicable, expiresIn: granted.expiresIn, issuedTokenType: wanted.rawValue)
        } catch let refusal as OAuthError where refusal.code == .invalidTarget {
            // At the token endpoint invalid_target is 400 (RFC 8693, 2.2.2).
            throw OAuthError(.invalidTarget, refusal.description, status: 400)
        }
    }

    /// RFC 8705, 3: as at every other place, a token that is bound to a certificate comes with that one; and a client that registered the binding comes with one.
    private func checkCertificate(_ subject: TokenRow, _ caller: AuthenticatedClient) throws {
        if let client = caller.client { _ = try CertificateBinding.of(client, caller.request) }
        guard let bound = subject.body.claims.certificate else { return }
        guard caller.request.certificate?.thumbprint == bound else {
            throw OAuthError(.invalidGrant, "subject_token is bound to a client certificate: come over mutual TLS with that certificate")
        }
    }

    private func personal(_ text: String, type: String) async throws -> TokenRow {
        guard TokenType(wire: type) == .accessToken else { throw OAuthError(.invalidRequest, "subject_token_type must be \(TokenType.accessToken.rawValue)") }
        guard let pat = try await check.live(text), pat.body.kind == .personalAccessToken else {
            throw OAuthError(.invalidRequest, "subject_token must be a live personal access token")
        }
        return pat
    }

    /// A live token of a person that was issued to this client. Where the token is bound to a key, that key must be shown.
    private func held(_ text: String, type: String, by client: WebClient) async throws -> TokenRow {
        guard client.grantTypes.contains(self.type.rawValue), client.authMethod != .none else {
            throw OAuthError(.unauthorizedClient, "this client is not registered for token exchange, or has nothing to authenticate by")
        }
        let row: TokenRow? = switch TokenType(wire: type) {
        case .accessToken: try await check.live(text)
        case .idToken: try await behind(text, client)
        case .refreshToken: try await RefreshFamily(store: store).find(text)
        case .jwt, .identityAssertion, nil: throw OAuthError(.invalidRequest, "subject_token_type must be that of an ID token, an access token or a refresh token")
        }
        guard let row, row.body.kind == .accessToken, row.body.account != nil, row.body.client == client.id, row.isLive(at: clock.now()), row.usedAt == nil else {
            throw OAuthError(.invalidRequest, "subject_token must be a live token of a person that was issued to this client")
        }
        return row
    }

    /// The access token that came with an ID token: it lives and dies with the same nodes.
    private func behind(_ text: String, _ client: WebClient) async throws -> TokenRow? {
        guard let jwt = try? JWT(text), jwt.type == JWTType.plain.rawValue, jwt.string("iss") == check.realm.base, jwt.audiences == [client.id],
              let expires = jwt.date("exp"), expires > clock.now(), let id = jwt.string("jti").flatMap({ NodeID($0) }), try await keys.verify(jwt) else { return nil }
        return try await store.find(id)
    }
}
