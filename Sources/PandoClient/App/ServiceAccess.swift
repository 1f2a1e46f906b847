/// A service access token: good for asking the service for tokens of apps on the same phone.
public struct ServiceAccess: Sendable {
    private static let codeSeconds = 60

    /// The instance's `client_id`.
    public let instance: String
    public let tokens: TokenFamily

    /// A token for another app, or for a part of this one, by a code that this instance makes. With `key` the token is
    /// bound to that app's own key; without, it is a bearer token.
    ///
    /// A new authorization of the same app and scope replaces the old one.
    public func authorize(_ bundle: String, scope: String, key: VerificationKey? = nil) async throws -> Tokens {
        var claims: [String: JSON] = [
            "iss": .string(instance), "sub": .string(bundle), "aud": .string(tokens.endpoint),
        ]
        if let key { claims["cnf"] = ["jwk": key.jwk] }
        let holder = tokens.holder
        let code = try holder.sign(claims, seconds: ServiceAccess.codeSeconds, header: ["typ": "JWT"])
        let response = try await tokens.send(
            .form(
                tokens.endpoint,
                [
                    ("grant_type", "authorization_code"), ("code", code), ("client_id", bundle), ("scope", scope),
                ]))
        return try Tokens(response, now: holder.now())
    }
}
