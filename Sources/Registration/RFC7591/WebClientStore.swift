import Accounts
import Base
import Database
import Foundation
import Vocabulary

/// Rows of `client`.
public struct WebClientStore: Sendable {
    /// Metadata that cannot stand (RFC 7591, 3.2.2), in words for the one who registers.
    public struct Unacceptable: Error, Sendable, CustomStringConvertible {
        public let code: OAuthError.Code
        public let description: String
        /// For the log.
        public let cause: String?

        init(_ code: OAuthError.Code, _ description: String, cause: String? = nil) {
            (self.code, self.description, self.cause) = (code, description, cause)
        }
    }

    /// Of a client that registered itself: how it is managed (RFC 7592), and within what.
    struct Management: Sendable {
        let tokenHash: [UInt8]
        let policy: RegistrationPolicy
    }

    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// The client and, where it authenticates by one, its secret: told once, stored as a hash. `id` is that of a
    /// client of the server's own. Throws `Unacceptable`.
    public func create(
        _ draft: WebClientDraft, id: String? = nil, in executor: any SQLExecutor
    ) async throws -> (WebClient, secret: String?) {
        try await insert(try await DraftRules.checked(draft), id: id, in: executor)
    }

    /// Takes a draft that `DraftRules` has checked.
    func insert(
        _ draft: WebClientDraft, id: String? = nil, management: Management? = nil, in executor: any SQLExecutor
    ) async throws -> (WebClient, secret: String?) {
        let id = id ?? randomness.identifier(), secret = draft.authMethod.hasSecret ? randomness.secretText() : nil
        let rows = try await executor.query(
            """
            insert into client (id, name, auth_method, secret, jwks, jwks_uri, redirect_uris, grant_types, scope,
                metadata, claims, registration_token, policy,
                created_at)
            values (\(id), \(draft.name.isEmpty ? id : draft.name), \(draft.authMethod),
                \(secret.map { Digest.sha256($0) }), \(draft.jwks), \(draft.jwksURI),
                    \(draft.redirectURIs), \(draft.grantTypes), \(draft.scope),
                        \(JSONValue.object(draft.metadata.json)), \(draft.claims),
                    \(management?.tokenHash), \(management.map { JSONValue.object($0.policy.json) }), \(clock.now()))
            returning \(WebClient.columns)
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return (try WebClient(row), secret)
    }

    /// All that a draft says, in place of what was. The secret stays as long as there is to be one; a new one is told.
    /// Throws `Unacceptable`. `current` was read by the same transaction, which holds it.
    public func update(
        _ current: WebClient, to draft: WebClientDraft, in transaction: any SQLExecutor
    ) async throws -> (WebClient, secret: String?) {
        try await replace(current, by: try await DraftRules.checked(draft), in: transaction)
    }

    func replace(
        _ current: WebClient, by draft: WebClientDraft, in transaction: any SQLExecutor
    ) async throws -> (WebClient, secret: String?) {
        let fresh = draft.authMethod.hasSecret && current.secret == nil ? randomness.secretText() : nil
        var metadata = draft.metadata
        metadata.sector = SectorIdentifier.kept(by: current, draft)
        let hash = draft.authMethod.hasSecret ? fresh.map { Digest.sha256($0) } ?? current.secret : nil
        // A client that gives up its secret gives up the one before it, too.
        let until = hash == nil ? nil : current.oldSecret?.until
        // So does one that takes other keys: those of before are beside the ones that they were kept beside alone.
        let isSame =
            draft.jwks == current.jwks && draft.jwksURI == current.jwksURI && draft.authMethod == current.authMethod
        let keys = isSame ? current.oldKeys : nil
        let rows = try await transaction.query(
            """
            update client set old_secret = \(until == nil ? nil : current.oldSecret?.hash),
                old_secret_until = \(until), old_jwks = \(keys?.jwks), old_jwks_until = \(keys?.until),
                name = \(draft.name.isEmpty ? current.id : draft.name),
                auth_method = \(draft.authMethod), secret = \(hash), jwks = \(draft.jwks),
                jwks_uri = \(draft.jwksURI), redirect_uris = \(draft.redirectURIs),
                    grant_types = \(draft.grantTypes), scope = \(draft.scope),
                metadata = \(JSONValue.object(metadata.json)), claims = \(draft.claims)
            where id = \(current.id)
            returning \(WebClient.columns)
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return (try WebClient(row), fresh)
    }

    /// `locking` keeps it for the transaction.
    public func find(_ id: String, locking: Bool = false, in executor: any SQLExecutor) async throws -> WebClient? {
        let hold: SQL = locking ? "for update" : ""
        return try await executor.query("select \(WebClient.columns) from client where id = \(id) \(hold)").first.map {
            try WebClient($0)
        }
    }

    /// The client that this registration access token manages (RFC 7592, 3); `nil` alike for an unknown client, another
    /// token, a client made by an operator and one of a service. `holding` keeps it for the transaction.
    func find(
        _ id: String, managedBy token: String, holding: Bool, in executor: any SQLExecutor
    ) async throws -> (client: WebClient, policy: RegistrationPolicy)? {
        let hold: SQL = holding ? "for update of c" : ""
        let row = try await executor.query(
            """
            select \(WebClient.columns), registration_token, policy from client c
            where id = \(id) and not exists (select from service s where s.client = c.id) \(hold)
            """
        ).first
        let stored: [UInt8]? = try row.flatMap { try $0("registration_token") }
        guard ConstantTime.equal(Digest.sha256(token), stored ?? [UInt8](repeating: 0, count: 32)), let row else {
            return nil
        }
        return (try WebClient(row), RegistrationPolicy(stored: try row("policy")))
    }

    /// The client as it is now, if it may still have this grant and, with `scope`, all of these: for as long as the
    /// transaction lasts, since changing and deleting wait. Of something that was begun earlier, this is what the
    /// second half asks.
    public func offered(
        _ grant: GrantType, scope: Scope? = nil, to id: String, in transaction: any SQLExecutor
    ) async throws -> WebClient? {
        let rows = try await transaction.query("select \(WebClient.columns) from client where id = \(id) for share")
        guard let client = try rows.first.map({ try WebClient($0) }), client.offers(grant, scope: scope) else {
            return nil
        }
        return client
    }

    /// Clients of services are listed with their services.
    public func list(
        of filter: InstitutionFilter = .everything, after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [WebClient] {
        try await executor.query(
            """
            select \(WebClient.columns) from client c
            where not exists (select from service s where s.client = c.id) and \(filter.condition("c.institution"))
              and (\(after)::text is null or (c.created_at, c.id) > (select b.created_at, b.id from client b
                  where b.id = \(after)))
            order by c.created_at, c.id limit \(limit)
            """
        ).map { try WebClient($0) }
    }

    public func delete(_ id: String, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.execute("delete from client where id = \(id)") == 1
    }
}
