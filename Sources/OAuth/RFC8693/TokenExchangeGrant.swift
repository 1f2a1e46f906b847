import Base
import Registration
import TokenTree
import Vocabulary

/// Token exchange (RFC 8693): the standard way from a personal access token to a service assertion.
public struct TokenExchangeGrant: Grant {
    public let type = GrantType.tokenExchange
    let check: ResourceCheck
    let assertions: IssueAssertion

    public init(check: ResourceCheck, assertions: IssueAssertion) { (self.check, self.assertions) = (check, assertions) }

    public func issue(_ request: TokenRequest, to caller: Caller) async throws -> TokenResponse {
        guard case .tokenExchange(let subjectToken, let subjectType, let target, let requested) = request else { throw OAuthError(.serverError, "wrong grant") }
        guard TokenType(wire: subjectType) == .accessToken else { throw OAuthError(.invalidRequest, "subject_token_type must be \(TokenType.accessToken.rawValue)") }
        guard let wanted = TokenType(wire: requested ?? TokenType.jwt.rawValue), [.jwt, .identityAssertion].contains(wanted) else {
            throw OAuthError(.invalidRequest, "requested_token_type must be \(TokenType.jwt.rawValue) or \(TokenType.identityAssertion.rawValue)")
        }
        guard let pat = try await check.live(subjectToken), pat.body.kind == .personalAccessToken else {
            throw OAuthError(.invalidRequest, "subject_token must be a live personal access token")
        }
        guard let key = caller.key else { throw OAuthError(.invalidProof, "show the key of the subject_token by a DPoP proof") }
        guard key.jkt == pat.body.jkt else { throw OAuthError(.invalidGrant, "the proof is by another key than the subject_token's") }
        do {
            let granted = try await assertions.issue(pat, for: target)
            return TokenResponse(accessToken: granted.assertion, kind: .notApplicable, expiresIn: granted.expiresIn, issuedTokenType: wanted.rawValue)
        } catch let refusal as OAuthError where refusal.code == .invalidTarget {
            // At the token endpoint invalid_target is 400 (RFC 8693, 2.2.2).
            throw OAuthError(.invalidTarget, refusal.description, status: 400)
        }
    }
}
