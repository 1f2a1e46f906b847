import Foundation

/// An assertion of the federation for one service (docs/join-the-federation.md, "3. Take an assertion").
public struct ServiceAssertion: Sendable {
    /// To be recorded in the transaction in which a token is issued. Was it there, end what came of it: `node`.
    public let id: String
    /// The person, under a name that only this service gets.
    public let subject: String
    /// The software id of the app.
    public let app: String?
    /// The installation.
    public let instance: String
    public let key: VerificationKey
    public let expires: Date
    /// What it hangs from: a token that is issued for it is dead once one of these has ended.
    public let ancestors: [String]
    /// The assertion itself among them.
    public let node: String
    /// The claims that the index releases to this service.
    public let released: [String: JSON]
    /// `auth_time`, `acr`, `amr`.
    public let authentication: [String: JSON]
}

/// Checks assertions at a service's token endpoint: all but whether it was used or revoked, which the service's own
/// database knows.
public struct AssertionVerifier: Sendable {
    private static let longest: TimeInterval = 300
    private static let authentication: Set = ["auth_time", "acr", "amr"]
    private static let own: Set = [
        "iss", "sub", "aud", "azp", "client_id", "jti", "iat", "exp", "nbf", "cnf", "lineage", "auth_time", "acr",
        "amr",
    ]

    private let signed: SignedJWT
    private let tokenEndpoint: String

    /// `keys` are those of `ISS/jwks.json`.
    public init(
        issuer: String, tokenEndpoint: String, keys: KeySource, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (signed, self.tokenEndpoint) = (SignedJWT(issuer: issuer, keys: keys, now: now), tokenEndpoint)
    }

    /// `proof`: the key of the request's DPoP proof, where it has one.
    /// - Throws: `OAuthError`, which the service answers.
    public func verify(_ text: String, proof: VerificationKey? = nil) async throws -> ServiceAssertion {
        do {
            let (jwt, signer) = try await signed.verified(text, type: "oauth-id-jag+jwt")
            let assertion = try read(jwt, signer)
            guard proof == nil || proof?.thumbprint == assertion.key.thumbprint else {
                throw OAuthError(400, .invalidProof, "the proof must be by the key in the assertion's cnf")
            }
            return assertion
        } catch let refused as JWTRefused {
            throw OAuthError(400, .invalidGrant, "the assertion was refused: \(refused)")
        }
    }

    private func read(_ jwt: JWT, _ signer: VerificationKey) throws -> ServiceAssertion {
        guard jwt.audiences == [tokenEndpoint] else { throw JWTRefused(description: "it is for another service") }
        try jwt.checkTimes(now: signed.now(), longest: AssertionVerifier.longest)
        let claims = jwt.claims, key = try Confirmation.key(of: jwt)
        guard let id = jwt.id, let subject = claims["sub"]?.string, let instance = claims["client_id"]?.string, let key,
            let expires = jwt.date("exp"), let lineage = claims["lineage"]?.strings, lineage.count <= 64,
            let node = lineage.last
        else { throw JWTRefused(description: "jti, sub, client_id, cnf.jwk or lineage is missing") }
        return ServiceAssertion(
            id: id, subject: subject, app: claims["azp"]?.string, instance: instance, key: key, expires: expires,
            ancestors: lineage + ["signer:" + (signer.keyID ?? signer.thumbprint)], node: node,
            released: claims.filter { !AssertionVerifier.own.contains($0.key) },
            authentication: claims.filter { AssertionVerifier.authentication.contains($0.key) })
    }
}
