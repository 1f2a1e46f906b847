import Base
import Database
import Foundation
import Keys
import Vocabulary

/// Rows of `client` and `invitation`.
public struct WebClientStore: Sendable {
    /// Metadata that cannot stand (RFC 7591, 3.2.2), in words for the one who registers.
    public struct Unacceptable: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// The client and, where it authenticates by one, its secret: told once, stored as a hash.
    public func create(_ draft: WebClientDraft, in executor: any SQLExecutor) async throws -> (WebClient, secret: String?) {
        try await WebClientStore.check(draft)
        let secret = [.basic, .post].contains(draft.authMethod) ? Base64URL.encode(randomness.bytes(32)) : nil
        let rows = try await executor.query("""
            insert into client (id, name, auth_method, secret, jwks, jwks_uri, redirect_uris, grant_types, scope, created_at)
            values (\(randomness.identifier()), \(draft.name), \(draft.authMethod), \(secret.map { Digest.sha256($0) }), \(draft.jwks), \(draft.jwksURI),
                    \(draft.redirectURIs), \(draft.grantTypes), \(draft.scope), \(clock.now()))
            returning \(WebClient.columns)
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return (try WebClient(row), secret)
    }

    public func find(_ id: String, in executor: any SQLExecutor) async throws -> WebClient? {
        try await executor.query("select \(WebClient.columns) from client where id = \(id)").first.map { try WebClient($0) }
    }

    /// Whether it is still registered for a grant, for as long as the transaction lasts: deleting waits.
    public func offers(_ grant: String, client id: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await !transaction.query("select id from client where id = \(id) and \(grant) = any (grant_types) for share").isEmpty
    }

    /// Clients of services are listed with their services.
    public func list(after: String?, limit: Int, in executor: any SQLExecutor) async throws -> [WebClient] {
        try await executor.query("""
            select \(WebClient.columns) from client c
            where not exists (select from service s where s.client = c.id)
              and (\(after)::text is null or (c.created_at, c.id) > (select b.created_at, b.id from client b where b.id = \(after)))
            order by c.created_at, c.id limit \(limit)
            """).map { try WebClient($0) }
    }

    public func delete(_ id: String, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute("delete from client where id = \(id)") == 1
    }

    /// An initial access token for `POST /register` (RFC 7591, 3), told once.
    public func invite(uses: Int, lifetime: TimeInterval, in executor: any SQLExecutor) async throws -> (token: String, expires: Date) {
        let token = Base64URL.encode(randomness.bytes(32)), expires = clock.now().addingTimeInterval(lifetime)
        _ = try await executor.execute("""
            insert into invitation (secret, uses, expires_at, created_at) values (\(Digest.sha256(token)), \(uses), \(expires), \(clock.now()))
            """)
        return (token, expires)
    }

    private static func check(_ draft: WebClientDraft) async throws {
        let known: Set<String> = ["authorization_code", "client_credentials", "refresh_token", GrantType.tokenExchange.rawValue]
        if let unknown = draft.grantTypes.first(where: { !known.contains($0) }) { throw Unacceptable(description: "grant type \(unknown) is not offered") }
        guard !draft.grantTypes.contains("client_credentials") || draft.authMethod != .none else {
            throw Unacceptable(description: "client_credentials needs a client that can authenticate")
        }
        guard Scope(draft.scope) != nil else { throw Unacceptable(description: "scope holds characters that RFC 6749, 3.3 forbids") }
        for uri in draft.redirectURIs {
            guard let address = WebAddress(uri), !uri.contains("#"), address.scheme == "https" || address.isLoopback else {
                throw Unacceptable(description: "redirect URI \(uri) must be https (or http on loopback), absolute and without fragment")
            }
        }
        if let uri = draft.jwksURI {
            guard let address = WebAddress(uri), address.scheme == "https" || address.isLoopback else { throw Unacceptable(description: "jwks_uri must be https, and absolute") }
        }
        if draft.authMethod == .privateKeyJWT {
            guard (draft.jwks == nil) != (draft.jwksURI == nil) else { throw Unacceptable(description: "private_key_jwt needs either jwks or jwks_uri") }
        }
        if let jwks = draft.jwks {
            do {
                guard try await !JSONWebKey.set(jwks).isEmpty else { throw Unacceptable(description: "jwks holds no key") }
            } catch let error as Unacceptable { throw error } catch { throw Unacceptable(description: "jwks: \(error)") }
        }
    }
}
