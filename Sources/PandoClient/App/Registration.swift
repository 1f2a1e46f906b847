import Foundation

/// Registering an installation: `client_credentials` with an assertion by the version's key (RFC 7523, 2.2), which
/// brings the installation's own key as `cnf.jwk`.
extension AuthorizationServer {
    private static let seconds = 120

    /// The request for an instance token. Needs no proof.
    public func registration(_ version: AppVersion, _ device: Device, key: SigningKey) throws -> Transport.Request {
        var claims: [String: JSON] = [
            "iss": .string(version.id), "sub": .string(device.id), "aud": .string(issuer), "cnf": ["jwk": key.jwk],
        ]
        for (name, value) in [("name", device.name), ("device_type", device.type), ("os_version", device.osVersion)] {
            if let value { claims[name] = .string(value) }
        }
        let assertion = try version.key.sign(
            claims.timed(seconds: AuthorizationServer.seconds, now: now()),
            header: ["typ": "client-authentication+jwt", "kid": .string(version.keyID)])
        return .form(
            try endpoint("token_endpoint"),
            [
                ("grant_type", "client_credentials"),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ])
    }

    /// Once for each installation. The same device and key again replace the earlier instance.
    ///
    /// `key` never leaves the device. `keep` writes its tokens to where secrets are kept, now and after each refresh.
    /// - Throws: `OAuthError` with `invalid_client` where the version is refused or the device blocked.
    public func register(
        _ version: AppVersion, _ device: Device, key: SigningKey,
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> Instance {
        let response = try await holder(of: key).send(try registration(version, device, key: key))
        let tokens = try Tokens(response, now: now())
        guard let id = tokens.clientID else { throw UnexpectedAnswer(description: "the answer has no client_id") }
        try await keep(tokens)
        return try Instance(id, of: self, key: key, tokens: tokens, keep: keep)
    }
}
