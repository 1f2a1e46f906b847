import Foundation

/// Checks access tokens of the issuer for this service in memory: signature, times, proof, and that nothing which a
/// token hangs from has ended (docs/local-checks.md). The service is entered with `--lineage`, so that its tokens say
/// what they hang from.
public struct LocalTokenVerifier: Sendable {
    private let tokens: AccessTokenVerifier
    private let feed: RevocationFeed

    public init(tokens: AccessTokenVerifier, feed: RevocationFeed) { (self.tokens, self.feed) = (tokens, feed) }

    /// As ``AccessTokenVerifier/verify(authorization:proof:method:url:)``, and that the token lives.
    /// - Throws: `OAuthError`, which the service answers: 401 `invalid_token` for what has ended, says not what it
    ///   hangs from, or lives for longer than the feed remembers; 503 `temporarily_unavailable` when the issuer has not
    ///   been heard for too long.
    public func verify(
        authorization: String?, proof: String?, method: String, url: String
    ) async throws -> VerifiedToken {
        let token = try await tokens.verify(authorization: authorization, proof: proof, method: method, url: url)
        try check(token)
        return token
    }

    /// That it has not expired, and nothing has ended from which it hangs: for a token whose signature was checked
    /// before, as for each message on a socket. What ended is forgotten when the last token below it has expired.
    public func check(_ token: VerifiedToken) throws {
        guard let lineage = token.claims["lineage"]?.strings, !lineage.isEmpty, lineage.count <= 64 else {
            throw OAuthError(401, .invalidToken, "the token does not say what it hangs from: get another")
        }
        guard let made = token.claims["iat"]?.integer, let expires = token.claims["exp"]?.integer,
            Double(expires) - Double(made) <= feed.longestLife
        else { throw OAuthError(401, .invalidToken, "the token lives for longer than this service takes") }
        guard Double(expires) > feed.time.timeIntervalSince1970 - JWT.skew else {
            throw OAuthError(401, .invalidToken, "the token has expired")
        }
        switch feed.standing(of: lineage + ["signer:" + token.signer]) {
        case .live: return
        case .revoked: throw OAuthError(401, .invalidToken, "the token has been revoked")
        case .unknown:
            throw OAuthError(
                503, .temporarilyUnavailable, "the issuer has not been heard for too long; try again", retryAfter: 2)
        }
    }
}
