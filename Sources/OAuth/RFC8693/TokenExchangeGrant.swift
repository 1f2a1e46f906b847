import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Token exchange (RFC 8693): the standard way to a service assertion. From a personal access token, by the instance
/// that holds it; or from what a web client holds of a person — ID token, access token or refresh token — as
/// draft-ietf-oauth-identity-assertion-authz-grant has it.
public struct TokenExchangeGrant: Grant {
    public let type = GrantType.tokenExchange
    let check: ResourceCheck
    let assertions: IssueAssertion
    let clock: WallClock

    /// RFC 8693, 2.1.
    public struct Request: Sendable {
        let subjectToken: String
        let subjectType: String
        let target: String
        let requestedType: String?
    }

    public func read(_ parameters: OAuthParameters) throws -> Request {
        guard try parameters["actor_token"] == nil else {
            throw OAuthError(.invalidRequest, "actor_token is not supported")
        }
        let (resource, audience) = (try parameters["resource"], try parameters["audience"])
        guard let target = resource ?? audience, resource == nil || audience == nil || resource == audience else {
            throw OAuthError(.invalidRequest, "name one service, by resource or audience")
        }
        return Request(
            subjectToken: try parameters.required("subject_token"),
            subjectType: try parameters.required("subject_token_type"),
            target: target, requestedType: try parameters["requested_token_type"])
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard let wanted = TokenType(wire: request.requestedType ?? TokenType.jwt.rawValue),
            [.jwt, .identityAssertion].contains(wanted)
        else {
            throw OAuthError(
                .invalidRequest,
                "requested_token_type must be \(TokenType.jwt.rawValue) or \(TokenType.identityAssertion.rawValue)")
        }
        let (subject, key) =
            if let client = caller.client {
                (try await held(request.subjectToken, type: request.subjectType, by: client), caller.key)
            } else {
                (
                    try await personal(request.subjectToken, type: request.subjectType, shown: caller.holder),
                    ShownKey?.none
                )
            }
        guard let shown = caller.key else {
            throw OAuthError(.invalidProof, "show the key that the service's token is to be bound to, by a DPoP proof")
        }
        guard subject.body.jkt == nil || subject.body.jkt == shown.jkt else {
            throw OAuthError(.invalidGrant, "the proof is by another key than the subject_token's")
        }
        try checkCertificate(subject, caller)
        do {
            let granted = try await assertions.issue(subject, for: request.target, key: key)
            return TokenResponse(
                accessToken: granted.assertion, kind: .notApplicable, expiresIn: granted.expiresIn,
                issuedTokenType: wanted.rawValue)
        } catch let refusal as OAuthError where [.invalidTarget, .accessDenied].contains(refusal.code) {
            // At the token endpoint both are 400 (RFC 8693, 2.2.2; RFC 8628, 3.5).
            throw OAuthError(refusal.code, refusal.description, status: 400)
        }
    }

    /// RFC 8705, 3: as at every other place, a token that is bound to a certificate comes with that one; and a client
    /// that registered the binding comes with one.
    private func checkCertificate(_ subject: TokenRow, _ caller: AuthenticatedClient) throws {
        if let client = caller.client { _ = try CertificateBinding.of(client, caller.request) }
        guard let bound = subject.body.claims.certificate else { return }
        guard caller.request.certificate?.thumbprint == bound else {
            throw OAuthError(
                .invalidGrant,
                "subject_token is bound to a client certificate: come over mutual TLS with that certificate")
        }
    }

    private func personal(_ text: String, type: String, shown: AuthenticatedToken?) async throws -> TokenRow {
        guard TokenType(wire: type) == .accessToken else {
            throw OAuthError(.invalidRequest, "subject_token_type must be \(TokenType.accessToken.rawValue)")
        }
        let live = if let shown, shown.presented == text { shown.token } else { try await check.live(text) }
        guard let pat = live, pat.body.kind == .personalAccessToken else {
            throw OAuthError(.invalidRequest, "subject_token must be a live personal access token")
        }
        return pat
    }

    /// A live token of a person that was issued to this client. Where the token is bound to a key, that key must be
    /// shown.
    private func held(_ text: String, type: String, by client: WebClient) async throws -> TokenRow {
        guard client.grantTypes.contains(self.type.rawValue), client.authMethod != .none else {
            throw OAuthError(
                .unauthorizedClient,
                "this client is not registered for token exchange, or has nothing to authenticate by")
        }
        let row: TokenRow? =
            switch TokenType(wire: type) {
            case .accessToken: try await check.live(text)
            case .idToken: try await check.lookup.idToken(text, of: client.id, at: clock.now())
            case .refreshToken: try await check.lookup.refreshToken(text)?.family
            case .jwt, .identityAssertion, nil:
                throw OAuthError(
                    .invalidRequest,
                    "subject_token_type must be that of an ID token, an access token or a refresh token")
            }
        guard let row, row.body.kind == .accessToken, row.body.account != nil, row.body.client == client.id,
            row.isLive(at: clock.now()), row.usedAt == nil
        else {
            throw OAuthError(
                .invalidRequest, "subject_token must be a live token of a person that was issued to this client")
        }
        return row
    }
}
