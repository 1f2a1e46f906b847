import Base
import Database
import Foundation

/// What an operator says of a provider.
struct ProviderDraft: Sendable {
    let id: String
    let issuer: String
    let institution: String
    let name: String
    let clientID: String
    let authMethod: UpstreamProvider.AuthMethod
    let secret: SecretBytes?
    let scope: String
    let linkBy: UpstreamProvider.LinkRule
    let creates: Bool
    let asksUserInfo: Bool
    let claims: [String: String]
    let levels: [String: String]
}

/// Another word about a provider; `nil` leaves a member as it is.
struct ProviderChange: Sendable {
    var name: String?
    var clientID: String?
    var authMethod: UpstreamProvider.AuthMethod?
    var secret: SecretBytes?
    var scope: String?
    var linkBy: UpstreamProvider.LinkRule?
    var creates: Bool?
    var asksUserInfo: Bool?
    var claims: [String: String]?
    var levels: [String: String]?
    var isEnabled: Bool?
}

/// Rows of `upstream_provider`.
struct ProviderStore: Sendable {
    struct Taken: Error, Sendable, Equatable { let what: String }

    let master: MasterKey
    let clock: WallClock

    func find(_ id: String, in executor: any SQLExecutor) async throws -> UpstreamProvider? {
        try await executor.query(
            "select \(UpstreamProvider.columns) from \(UpstreamProvider.source) where p.id = \(id)"
        ).first.map(UpstreamProvider.init)
    }

    /// By id, after a cursor that is one; `institutions` are those whose providers are shown, `nil`: all.
    func list(
        after: String?, limit: Int, of institutions: [String]?, in executor: any SQLExecutor
    ) async throws -> [UpstreamProvider] {
        try await executor.query(
            """
            select \(UpstreamProvider.columns) from \(UpstreamProvider.source)
            where (\(after)::text is null or p.id > \(after))
                and (\(institutions)::text[] is null or p.institution = any (\(institutions)::text[]))
            order by p.id limit \(limit)
            """
        ).map(UpstreamProvider.init)
    }

    /// Whether anybody logs in so.
    func isThereAny(in executor: any SQLExecutor) async throws -> Bool {
        try await !executor.query("select p.id from upstream_provider p where p.is_enabled limit 1").isEmpty
    }

    /// Those that are open, whose name or institution has these words in it, or whose institution has a domain that
    /// begins so; by name.
    func search(_ words: String, limit: Int, in executor: any SQLExecutor) async throws -> [UpstreamProvider] {
        let text = words.lowercased()
        return try await executor.query(
            """
            select \(UpstreamProvider.columns) from \(UpstreamProvider.source)
            where p.is_enabled and (\(text) = '' or position(\(text) in lower(p.name)) > 0
                or position(\(text) in lower(i.name)) > 0 or p.id = \(text)
                or exists (select from unnest(i.domains) d (name) where starts_with(lower(d.name), \(text))))
            order by lower(p.name), p.id limit \(limit)
            """
        ).map(UpstreamProvider.init)
    }

    /// Those of an institution, or of the one whose domain this is.
    func ofInstitution(
        _ institution: String?, domain: String?, in executor: any SQLExecutor
    ) async throws -> [UpstreamProvider] {
        try await executor.query(
            """
            select \(UpstreamProvider.columns) from \(UpstreamProvider.source)
            where p.is_enabled and (p.institution = \(institution) or exists (
                select from unnest(i.domains) d (name) where lower(d.name) = lower(\(domain))))
            order by p.id limit 20
            """
        ).map(UpstreamProvider.init)
    }

    // MARK: Writing

    func add(_ draft: ProviderDraft, in executor: any SQLExecutor) async throws {
        let sealed = try draft.secret.map { try master.seal($0, row: ProviderStore.row(draft.id)) }
        do {
            _ = try await executor.execute(
                """
                insert into upstream_provider (id, issuer, institution, name, client_id, auth_method, sealed_secret,
                    sealed_by, scope, link_by, creates, asks_userinfo, claims, levels, is_enabled, created_at)
                values (\(draft.id), \(draft.issuer), \(draft.institution), \(draft.name), \(draft.clientID),
                    \(draft.authMethod), \(sealed), \(sealed == nil ? nil : master.id), \(draft.scope),
                    \(draft.linkBy), \(draft.creates), \(draft.asksUserInfo), \(JSONValue.texts(draft.claims)),
                    \(JSONValue.texts(draft.levels)), true, \(clock.now()))
                """)
        } catch DatabaseError.unique(let constraint) {
            throw Taken(
                what: constraint == "upstream_provider_client"
                    ? "the client \(draft.clientID) at \(draft.issuer)" : "the id \(draft.id)")
        }
    }

    /// False where it is not there. Throws `Taken`. With another way to authenticate comes what that needs.
    func update(_ id: String, _ change: ProviderChange, in executor: any SQLExecutor) async throws -> Bool {
        let statement = try update(id, change)
        do {
            let changed = try await executor.execute(statement)
            return changed == 1
        } catch {
            guard case .unique = error else { throw error }
            throw Taken(what: "the client \(change.clientID ?? "") at its issuer")
        }
    }

    private func update(_ id: String, _ change: ProviderChange) throws -> SQL {
        let sealed = try change.secret.map { try master.seal($0, row: ProviderStore.row(id)) }
        let drops = change.authMethod == .privateKeyJWT, key = sealed == nil ? nil : master.id
        let claims = change.claims.map(JSONValue.texts), levels = change.levels.map(JSONValue.texts)
        return """
            update upstream_provider set name = coalesce(\(change.name), name),
                client_id = coalesce(\(change.clientID), client_id),
                auth_method = coalesce(\(change.authMethod), auth_method),
                sealed_secret = case when \(drops) then null else coalesce(\(sealed), sealed_secret) end,
                sealed_by = case when \(drops) then null else coalesce(\(key), sealed_by) end,
                scope = coalesce(\(change.scope), scope), link_by = coalesce(\(change.linkBy), link_by),
                creates = coalesce(\(change.creates), creates),
                asks_userinfo = coalesce(\(change.asksUserInfo), asks_userinfo),
                claims = coalesce(\(claims), claims), levels = coalesce(\(levels), levels),
                is_enabled = coalesce(\(change.isEnabled), is_enabled)
            where id = \(id)
            """
    }

    func remove(_ id: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from upstream_provider where id = \(id)")
    }

    func secret(of provider: UpstreamProvider) throws -> SecretBytes? {
        try provider.sealedSecret.map { try master.open($0, row: ProviderStore.row(provider.id)) }
    }

    /// How many were sealed anew. Throws `MasterKey.Unsealable` where one was sealed by neither key.
    func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        let rows = try await transaction.query(
            """
            select p.id, p.sealed_secret from upstream_provider p
            where p.sealed_by is not null and p.sealed_by <> \(successor.id) order by p.id for update
            """)
        for row in rows {
            let id: String = try row("id"),
                secret = try master.open(
                    try row("sealed_secret"), row: ProviderStore.row(id))
            let sealed = try successor.seal(secret, row: ProviderStore.row(id))
            _ = try await transaction.execute(
                """
                update upstream_provider set sealed_secret = \(sealed), sealed_by = \(successor.id) where id = \(id)
                """)
        }
        return rows.count
    }

    private static func row(_ id: String) -> String { "upstream_provider \(id)" }
}
