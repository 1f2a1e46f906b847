import Foundation

/// Checks DPoP proofs (RFC 9449, 4.3), and the codes that an instance makes for other apps.
public struct ProofVerifier: Sendable {
    private static let window: TimeInterval = 60
    private static let codeLife: TimeInterval = 300

    private let replays: ReplayGuard
    private let now: @Sendable () -> Date

    public init(replays: ReplayGuard, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.replays, self.now) = (replays, now)
    }

    /// The key behind a proof. `url` is the public one of this request, without query, never made of its Host header;
    /// `token` is what `ath` must name.
    /// - Throws: `OAuthError` with this status: 400 at token endpoints, 401 at resources.
    public func verify(
        _ proof: String, method: String, url: String, token: String? = nil, status: Int = 401
    ) async throws -> VerificationKey {
        func refused(_ cause: String) -> OAuthError {
            OAuthError(status, .invalidProof, "the proof was refused: \(cause)")
        }
        guard let jwt = try? JWT(proof), jwt.type == "dpop+jwt" else { throw refused("it is no JWT of type dpop+jwt") }
        guard let key = jwt.header["jwk"].flatMap({ try? VerificationKey($0) }), jwt.isSigned(by: key) else {
            throw refused("it is not signed by a public key in jwk")
        }
        guard jwt.claims["htm"]?.string == method, jwt.claims["htu"]?.string.map(KeyHolder.withoutQuery) == url else {
            throw refused("htm or htu is of another request")
        }
        let now = self.now()
        guard let made = jwt.date("iat"), abs(made.timeIntervalSince(now)) <= ProofVerifier.window,
            jwt.hasBegun(at: now)
        else { throw refused("iat must lie within a minute of now") }
        if let token, jwt.claims["ath"]?.string != Identifiers.sha256(token) {
            throw refused("ath is not the hash of the token")
        }
        let forgotten = made.addingTimeInterval(2 * ProofVerifier.window)
        guard let id = jwt.id, try await replays.claim(id, "dpop \(key.thumbprint)", forgotten) else {
            throw refused("it has no jti, or was used before")
        }
        return key
    }

    /// The key of the app for which `code` asks (docs/join-the-federation.md, "4. Issue a service token and app
    /// tokens"); `nil` where it brings none, and gets a bearer token. `key` is the instance's, which authenticates the
    /// request.
    public func verify(
        code: String, of instance: String, key: VerificationKey, app: String, tokenEndpoint: String
    ) async throws -> VerificationKey? {
        do {
            guard let jwt = try? JWT(code), jwt.type == nil || jwt.type == "jwt", jwt.isSigned(by: key),
                jwt.hasBegun(at: now())
            else { throw JWTRefused(description: "it is no JWT by the key of this request") }
            guard jwt.claims["iss"]?.string == instance, jwt.claims["sub"]?.string == app,
                jwt.audiences == [tokenEndpoint]
            else { throw JWTRefused(description: "iss, sub or aud is another's") }
            try jwt.checkTimes(now: now(), longest: ProofVerifier.codeLife)
            let appKey = try Confirmation.key(of: jwt)
            let forgotten = now().addingTimeInterval(ProofVerifier.codeLife + 2 * JWT.skew)
            guard let id = jwt.id, try await replays.claim(id, "code \(key.thumbprint)", forgotten) else {
                throw JWTRefused(description: "it has no jti, or was used before")
            }
            return appKey
        } catch let refused as JWTRefused {
            throw OAuthError(400, .invalidGrant, "the code was refused: \(refused)")
        }
    }
}
