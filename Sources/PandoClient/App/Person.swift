/// A person who is logged in to an instance, by a personal access token.
public struct Person: Sendable {
    public let server: AuthorizationServer
    /// The instance's `client_id`.
    public let instance: String
    public let tokens: TokenFamily

    /// The identities of `/user-profile`.
    public func profile() async throws -> [JSON] {
        try await tokens.send(.get(server.issuer + "/user-profile")).json().array ?? []
    }

    /// Services that offer all of these protocols; names, or base URLs of services.
    public func find(_ names: [String]) async throws -> [DiscoveredService] {
        let question = try Transport.Request.json(server.issuer + "/protocol-discovery", .array(names.map(JSON.string)))
        return try await tokens.send(question).json().array?.compactMap { DiscoveredService($0) } ?? []
    }

    /// For one service and one use; its base URL.
    /// - Throws: `OAuthError` with `invalid_target` where no active service has that address.
    public func assertion(for base: String) async throws -> AssertionGrant {
        let request = Transport.Request.form(
            server.issuer + "/authorization", [("response_type", "code"), ("resource", base)])
        let answer = try await tokens.send(request).json()
        return AssertionGrant(assertion: try answer.text("code"), tokenEndpoint: try answer.text("redirect_uri"))
    }

    /// Takes an assertion to its service (RFC 7523, 2.1).
    public func redeem(
        _ grant: AssertionGrant, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> ServiceAccess {
        let response = try await tokens.holder.send(
            .form(
                grant.tokenEndpoint,
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", grant.assertion),
                ]))
        let tokens = try Tokens(response, now: server.now())
        try await keep(tokens)
        return access(tokens, endpoint: grant.tokenEndpoint, keep: keep)
    }

    /// A service that was joined earlier, by what was kept: its token endpoint and tokens.
    public func access(
        _ tokens: Tokens, endpoint: String, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) -> ServiceAccess {
        let holder = self.tokens.holder
        return ServiceAccess(
            instance: instance,
            tokens: TokenFamily(tokens, endpoint: endpoint, holder: holder, clientID: instance, keep: keep))
    }

    /// Assertion and redemption in one.
    public func join(
        _ base: String, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> ServiceAccess {
        try await redeem(try await assertion(for: base), keep: keep)
    }

    /// Ends the personal access token and everything below it.
    public func logOut() async throws { try await tokens.revoke(at: try server.endpoint("revocation_endpoint")) }
}

/// A service assertion, and where it is redeemed.
public struct AssertionGrant: Sendable, Redacted {
    public let assertion: String
    public let tokenEndpoint: String

    public var description: String { "assertion for \(tokenEndpoint)" }
}

/// A service as its RSD2 document has it.
public struct DiscoveredService: Sendable {
    public let name: String
    /// The link of `org.ietf.oauth2`.
    public let base: String
    public let document: JSON

    init?(_ document: JSON) {
        guard let base = document["apis"]?["org.ietf.oauth2"]?["apiLink"]?.string else { return nil }
        (self.base, self.document) = (base, document)
        name = document["engineName"]?.string ?? base
    }

    /// Where a protocol is.
    public func link(of name: String) -> String? { document["apis"]?[name]?["apiLink"]?.string }
}
