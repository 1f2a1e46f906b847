import Foundation
import PandoClient

/// A service that greets by the name that the federation releases: it takes assertions, issues tokens, and hears of
/// what has ended.
public struct SmallService: Sendable {
    static let scope = "org.example.greetings"
    private static let tokenLife = 3_600

    public let base: String
    private let ledger: Ledger
    private let key: SigningKey
    private let assertions: AssertionVerifier
    private let proofs: ProofVerifier
    private let tokens: AccessTokenVerifier
    let events: EventReceiver

    private var tokenEndpoint: String { base + "/token" }

    public init(issuer: String, base: String, transport: Transport) {
        let ledger = Ledger(), key = SigningKey(), proofs = ProofVerifier(replays: .inMemory())
        let keys = KeySource.keySet(at: issuer + "/jwks.json", transport: transport)
        (self.base, self.ledger, self.key, self.proofs) = (base, ledger, key, proofs)
        assertions = AssertionVerifier(issuer: issuer, tokenEndpoint: base + "/token", keys: keys)
        tokens = AccessTokenVerifier(issuer: base, audience: base, keys: .fixed([key.verificationKey]), proofs: proofs)
        let journal = EventReceiver.Journal(
            isTaken: { await ledger.isTaken($0) }, isRevoked: { await ledger.isEnded($0) },
            take: { await ledger.take($0) })
        events = EventReceiver(issuer: issuer, base: base, keys: keys, journal: journal)
    }

    /// The RSD2 document by which the federation's crawler finds it.
    var document: JSON {
        [
            "engineName": "Greetings", "engineLink": .string(base), "homePageLink": .string(base),
            "apis": [
                "org.ietf.oauth2": ["apiLink": .string(base), "apiVersion": "2.0", "transport": ["REST"]],
                "org.example.greetings": [
                    "apiLink": .string(base + "/greeting"), "apiVersion": "1.0", "transport": ["REST"],
                ],
            ],
        ]
    }

    /// `POST /token`: `form` are its members, `authorization` and `proof` headers of the request.
    func token(_ form: [String: String], authorization: String?, proof: String?) async throws -> JSON {
        switch form["grant_type"] {
        case "urn:ietf:params:oauth:grant-type:jwt-bearer":
            let shown: VerificationKey? =
                if let proof {
                    try await proofs.verify(proof, method: "POST", url: tokenEndpoint, status: 400)
                } else { nil }
            let assertion = try await assertions.verify(form["assertion"] ?? "", proof: shown)
            let row = try await ledger.redeem(assertion)
            return try await issue(row, to: assertion.instance, scope: tokenEndpoint, bound: assertion.key)
        case "authorization_code":
            let shown = try await tokens.verify(
                authorization: authorization, proof: proof, method: "POST", url: tokenEndpoint)
            guard shown.scope == [tokenEndpoint], let key = shown.key, let app = form["client_id"] else {
                throw OAuthError(401, .invalidToken, "show the service token, and name the app")
            }
            guard form["scope"] == Self.scope else { throw OAuthError(400, .invalidScope, "scope is \(Self.scope)") }
            let row = try await ledger.row(shown.id)
            let appKey = try await proofs.verify(
                code: form["code"] ?? "", of: row.instance, key: key, app: app, tokenEndpoint: tokenEndpoint)
            return try await issue(row, to: app, scope: Self.scope, bound: appKey)
        default: throw OAuthError(400, .unsupportedGrantType)
        }
    }

    private func issue(
        _ row: Ledger.Row, to client: String, scope: String, bound: VerificationKey?
    ) async throws -> JSON {
        let id = UUID().uuidString, now = Int(Date().timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": .string(base), "aud": .string(base), "sub": .string(row.subject), "client_id": .string(client),
            "jti": .string(id), "iat": .integer(now), "exp": .integer(now + Self.tokenLife), "scope": .string(scope),
        ]
        if let bound { claims["cnf"] = ["jwk": bound.jwk] }
        await ledger.write(row, for: id)
        return [
            "access_token": .string(try key.sign(claims, header: ["typ": "at+jwt"])),
            "token_type": bound == nil ? "Bearer" : "DPoP", "expires_in": .integer(Self.tokenLife),
            "scope": .string(scope),
        ]
    }

    /// `GET /greeting`, for tokens of apps.
    func greeting(authorization: String?, proof: String?) async throws -> JSON {
        let token = try await tokens.verify(
            authorization: authorization, proof: proof, method: "GET", url: base + "/greeting")
        guard token.scope.contains(Self.scope) else { throw OAuthError(403, .insufficientScope) }
        return ["greeting": .string("Hello, \(try await ledger.row(token.id).name)!")]
    }
}
