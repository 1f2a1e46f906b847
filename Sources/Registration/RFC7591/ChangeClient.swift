import Base
import Database
import Foundation
import Vocabulary

/// What an operator changes of a client besides what it could register itself.
extension WebClientStore {
    /// In place of those that it has. No client says this of itself, so its own changes (RFC 7592) leave it alone.
    public func set(
        _ lifetimes: ClientLifetimes, of client: WebClient, in transaction: any SQLExecutor
    ) async throws -> WebClient {
        try await changed(
            """
            update client set access_token_lifetime = \(lifetimes.accessToken),
                refresh_lifetime = \(lifetimes.refresh)
            where id = \(client.id) returning \(WebClient.columns)
            """, in: transaction)
    }

    /// After its keys were replaced: those of `earlier` are taken beside them until then, or no longer. Keys behind a
    /// `jwks_uri` are not here to be kept.
    public func keep(
        keysOf earlier: WebClient, until: Date?, in transaction: any SQLExecutor
    ) async throws -> WebClient {
        let kept = until == nil ? nil : earlier.jwks
        return try await changed(
            """
            update client set old_jwks = \(kept), old_jwks_until = \(kept == nil ? nil : until)
            where id = \(earlier.id) returning \(WebClient.columns)
            """, in: transaction)
    }

    /// A client that registered itself may go on changing itself within what it has been given (RFC 7592): grants and
    /// scopes that its operator adds are added to what its invitation allowed.
    public func widen(_ client: WebClient, in transaction: any SQLExecutor) async throws {
        let row = try await transaction.query(
            """
            select policy from client where id = \(client.id) and registration_token is not null for update
            """
        ).first
        guard let row else { return }
        let policy = RegistrationPolicy(stored: try row("policy"))
        let wider = policy.admitting(client.grantTypes, scopes: Scope(client.scope)?.names ?? [])
        guard wider != policy else { return }
        _ = try await transaction.execute(
            "update client set policy = \(JSONValue.object(wider.json)) where id = \(client.id)")
    }

    /// Whether somebody is known to it: they have agreed to it, or it was told of them.
    public func hasPeople(_ client: WebClient, in executor: any SQLExecutor) async throws -> Bool {
        try await executor.query(
            """
            select exists (select from consent c where c.client = \(client.id))
                or exists (select from disclosure d where d.client = \(client.id))
                or exists (select from session_client s where s.client = \(client.id)) as found
            """
        ).first.map { try $0("found") } ?? false
    }

    /// Refresh tokens of the client that cannot go on: all of them, or those with one of these scopes.
    public func families(
        of client: WebClient, all: Bool, scopes: [String], in executor: any SQLExecutor
    ) async throws -> [NodeID] {
        try await executor.query(
            """
            select f.id from family f
            where f.client = \(client.id) and f.realm = 'idp' and f.kind = 'access_token'
                and (\(all) or string_to_array(f.scope, ' ') && \(scopes))
                and not exists (select from revocation r where r.node = any (f.lineage))
            order by f.id
            """
        ).map { try $0("id") }
    }

    private func changed(_ statement: SQL, in transaction: any SQLExecutor) async throws -> WebClient {
        guard let row = try await transaction.query(statement).first else { throw DatabaseError.serialization }
        return try WebClient(row)
    }
}

extension RegistrationPolicy {
    func admitting(_ grantTypes: [String], scopes: [String]) -> RegistrationPolicy {
        func wider(_ known: [String]?, _ usual: [String], _ more: [String]) -> [String]? {
            let missing = more.filter { !(known ?? usual).contains($0) }
            return missing.isEmpty ? known : (known ?? usual) + missing
        }
        return RegistrationPolicy(
            grantTypes: wider(self.grantTypes, RegistrationPolicy.standardGrantTypes, grantTypes),
            scopes: wider(self.scopes, RegistrationPolicy.standardScopes, scopes))
    }
}
