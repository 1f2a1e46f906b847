/// A registered client that is no installation of an app: a web application, a native one with a browser, a machine.
public struct WebClient: Sendable {
    public enum Authentication: Sendable, Redacted {
        case none
        case secret(String)
        /// `private_key_jwt`.
        case key(SigningKey, keyID: String)

        public var description: String {
            switch self {
            case .none: "none"
            case .secret: "client_secret_basic"
            case .key(let key, _): "private_key_jwt, \(key)"
            }
        }
    }

    public let id: String
    public let server: AuthorizationServer
    let authentication: Authentication
    let holder: KeyHolder?

    /// With `key` its tokens are bound (RFC 9449).
    public init(
        _ id: String, of server: AuthorizationServer, authentication: Authentication, key: SigningKey? = nil
    ) {
        (self.id, self.server, self.authentication) = (id, server, authentication)
        holder = key.map { server.holder(of: $0) }
    }

    /// A token for itself (RFC 6749, 4.4); `resource` is the service that it is for (RFC 8707).
    public func token(scope: String? = nil, resource: String? = nil) async throws -> Tokens {
        var form = [("grant_type", "client_credentials")]
        if let scope { form.append(("scope", scope)) }
        if let resource { form.append(("resource", resource)) }
        return try await tokens(form)
    }

    /// A new pair for an old one. Its refresh token is used up.
    public func refresh(_ old: Tokens) async throws -> Tokens {
        guard let token = old.refreshToken else { throw OAuthError(400, .invalidGrant, "no refresh token") }
        return try await tokens([("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    /// Ends them, and all that hangs below (RFC 7009).
    public func revoke(_ tokens: Tokens) async throws {
        let token = tokens.refreshToken ?? tokens.accessToken
        let response = try await send([("token", token)], to: "revocation_endpoint")
        guard response.isGood else { throw OAuthError(response) }
    }

    func tokens(_ form: [(String, String)]) async throws -> Tokens {
        try Tokens(try await send(form, to: "token_endpoint"), now: server.now())
    }

    /// Authenticated as this client.
    func send(_ form: [(String, String)], to endpoint: String) async throws -> Transport.Response {
        var form = form
        var headers: [Transport.Header] = []
        switch authentication {
        case .none: form.append(("client_id", id))
        case .secret(let secret):
            let words = "\(FormEncoding.encode(id)):\(FormEncoding.encode(secret))"
            headers.append(("Authorization", "Basic \(words.base64)"))
        case .key(let key, let keyID):
            let claims: [String: JSON] = ["iss": .string(id), "sub": .string(id), "aud": .string(server.issuer)]
            let header: [String: JSON] = ["typ": "client-authentication+jwt", "kid": .string(keyID)]
            let assertion = try key.sign(claims.timed(seconds: 60, now: server.now()), header: header)
            form += [
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", assertion),
            ]
        }
        var request = Transport.Request.form(try server.endpoint(endpoint), form)
        request.headers += headers
        return if let holder { try await holder.send(request) } else { try await server.transport.send(request) }
    }
}
