/// An installation of an app, registered (docs/for-app-makers.md): it logs its person in.
public struct Instance: Sendable {
    /// Its `client_id`.
    public let id: String
    public let server: AuthorizationServer
    public let tokens: TokenFamily

    /// One that registered earlier, by what was kept.
    public init(
        _ id: String, of server: AuthorizationServer, key: SigningKey, tokens: Tokens,
        keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) throws {
        (self.id, self.server) = (id, server)
        let holder = server.holder(of: key), endpoint = try server.endpoint("token_endpoint")
        self.tokens = TokenFamily(tokens, endpoint: endpoint, holder: holder, clientID: id, keep: keep)
    }

    /// The person who logged in earlier, by what was kept.
    public func person(
        _ tokens: Tokens, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) throws -> Person {
        let endpoint = try server.endpoint("token_endpoint")
        let family = TokenFamily(tokens, endpoint: endpoint, holder: self.tokens.holder, clientID: id, keep: keep)
        return Person(server: server, instance: id, tokens: family)
    }

    /// For the first start of a new release: `id`, key and all tokens below stay, and hang from the new version.
    public func upgrade(
        to version: AppVersion, _ device: Device, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) async throws -> Instance {
        let key = tokens.holder.key
        let response = try await tokens.send(try server.registration(version, device, key: key))
        let new = try Tokens(response, now: server.now())
        try await keep(new)
        return try Instance(id, of: server, key: key, tokens: new, keep: keep)
    }

    /// What the server knows of a token of this instance (RFC 7662).
    public func introspect(_ token: String) async throws -> JSON {
        try await tokens.send(.form(try server.endpoint("introspection_endpoint"), [("token", token)])).json()
    }

    /// Ends the instance and everything below it.
    public func disconnect() async throws { try await tokens.revoke(at: try server.endpoint("revocation_endpoint")) }
}
