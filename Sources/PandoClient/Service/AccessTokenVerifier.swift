import Foundation

/// An access token that was shown, with the key to which it is bound.
public struct VerifiedToken: Sendable {
    public let id: String
    public let subject: String
    public let client: String?
    public let scope: Set<String>
    /// `nil` for a bearer token.
    public let key: VerificationKey?
    public let claims: [String: JSON]
    /// `kid` of the key that signed it, or that key's thumbprint.
    public let signer: String
}

/// Checks JWT access tokens (RFC 9068) at a resource: the service's own, or those of machines for it.
///
/// Whether a token was revoked is for the service to look up: by its ancestors for its own, by introspection else.
public struct AccessTokenVerifier: Sendable {
    private let signed: SignedJWT
    private let audience: String
    private let proofs: ProofVerifier

    public init(
        issuer: String, audience: String, keys: KeySource, proofs: ProofVerifier,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        signed = SignedJWT(issuer: issuer, keys: keys, now: now)
        (self.audience, self.proofs) = (audience, proofs)
    }

    /// `authorization` and `proof` are the headers `Authorization` and `DPoP`; `url` is without query.
    /// - Throws: `OAuthError`, which the service answers. A bound token that comes bare is refused.
    public func verify(
        authorization: String?, proof: String?, method: String, url: String
    ) async throws -> VerifiedToken {
        let words = authorization?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
        guard words.count == 2, ["dpop", "bearer"].contains(words[0].lowercased()) else {
            throw OAuthError(401, .invalidToken, "show an access token in the Authorization header")
        }
        let token = try await read(words[1]), isProven = words[0].lowercased() == "dpop"
        guard isProven == (token.key != nil) else {
            throw OAuthError(401, .invalidToken, "a bound token comes as DPoP, an unbound one as Bearer")
        }
        guard let key = token.key else { return token }
        guard let proof else { throw OAuthError(401, .invalidProof, "a DPoP proof must come with the token") }
        let proven = try await proofs.verify(proof, method: method, url: url, token: words[1])
        guard proven.thumbprint == key.thumbprint else {
            throw OAuthError(401, .invalidToken, "the proof is by another key than the token's")
        }
        return token
    }

    private func read(_ text: String) async throws -> VerifiedToken {
        do {
            let (jwt, signer) = try await signed.verified(text, type: "at+jwt")
            guard jwt.audiences == [audience] else { throw JWTRefused(description: "it is for another service") }
            try jwt.checkTimes(now: signed.now())
            guard let id = jwt.id, let subject = jwt.claims["sub"]?.string else {
                throw JWTRefused(description: "jti or sub is missing")
            }
            let scope = jwt.claims["scope"]?.string?.split(separator: " ").map(String.init) ?? []
            return VerifiedToken(
                id: id, subject: subject, client: jwt.claims["client_id"]?.string, scope: Set(scope),
                key: try Confirmation.key(of: jwt), claims: jwt.claims, signer: signer.keyID ?? signer.thumbprint)
        } catch let refused as JWTRefused {
            throw OAuthError(401, .invalidToken, "the token was refused: \(refused)")
        }
    }
}
