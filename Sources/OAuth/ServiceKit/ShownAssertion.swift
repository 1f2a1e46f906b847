import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// An assertion that is shown at the service it was made for, in place of a token of that service, by who only asks
/// something: nothing is issued for it, so it is not used up, and it is good for as long as it would be redeemed.
public struct ShownAssertion: Sendable {
    /// The instance, or web client, that it was given to.
    public let client: String
    /// That of `cnf`, by which the proof was made.
    public let key: ShownKey
    public let expires: Date
}

extension ServiceRole {
    /// The assertion in the Authorization header, as `DPoP` or `Bearer`, with a DPoP proof by its key; `nil` where
    /// something else stands there. A service knows an assertion by its text alone, so nobody can make a JWT in its
    /// name.
    ///
    /// Throws `OAuthError`: 401 `invalid_token` where it has expired, is another service's or nobody's, comes without
    /// proof, or where something of its lineage has ended as far as events have told; 401 `invalid_dpop_proof` or
    /// `use_dpop_nonce` for a bad proof; 503 where the issuer's keys cannot be read, or it
    /// was not heard for too long.
    public func assertion(_ request: PresentedRequest) async throws -> ShownAssertion? {
        guard let credentials = request.credentials, ["dpop", "bearer"].contains(credentials.scheme),
            let jwt = try? JWT(credentials.value), jwt.type == JWTType.serviceAssertion.rawValue
        else { return nil }
        try await check.freshness?.require()
        let shown = try await standing(credentials.value)
        guard !request.proofs.isEmpty else {
            throw OAuthError(.invalidToken, "an assertion is bound to a key: show it with a DPoP proof")
        }
        let key = try await proof(request, of: credentials.value)
        guard key.jkt == shown.key.thumbprint else {
            throw OAuthError(.invalidToken, "the proof is by another key than the assertion's")
        }
        return ShownAssertion(client: shown.instance, key: key, expires: shown.expires)
    }

    /// As it would be redeemed, but for its being used.
    private func standing(_ text: String) async throws -> CheckedAssertion {
        let checked: CheckedAssertion
        do { checked = try await assertions.checked(text) } catch let refusal as OAuthError
            where refusal.code == .invalidGrant
        {
            throw OAuthError(.invalidToken, refusal.description, cause: refusal.cause)
        }
        guard try await !tree.isBroken(checked.lineage + [checked.signer], anchor: checked.anchor) else {
            let cause = "it, or what it stands on, has been revoked"
            throw OAuthError(.invalidToken, "the assertion was refused: \(cause)", cause: cause)
        }
        return checked
    }

    /// At a protected resource a bad proof is a 401 (RFC 9449, 7.1 and 9).
    private func proof(_ request: PresentedRequest, of text: String) async throws -> ShownKey {
        do {
            if let key = try await check.proofs.dpop(request, accessToken: text) { return key }
        } catch let refusal as OAuthError where [.invalidProof, .useNonce].contains(refusal.code) {
            throw OAuthError(refusal.code, refusal.description, cause: refusal.cause, status: 401)
        }
        throw OAuthError(.invalidProof, "a DPoP proof must come with the assertion", status: 401)
    }
}
