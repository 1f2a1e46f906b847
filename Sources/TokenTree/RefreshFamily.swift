import Base
import Database
import Foundation

/// Rotation of refresh tokens (token-tree.md, rule 4; RFC 9700, 4.14.2).
public struct RefreshFamily: Sendable {
    /// Inside it a client that lost the answer gets the same child again.
    public static let graceWindow: TimeInterval = 10

    public enum Rotation: Sendable {
        /// Rotated now, or the same child again inside the grace window.
        case child(IssuedToken)
        /// Not ours, cut, idle for too long, or shown with another key or by another client: nothing was used or ended.
        case refused
        /// Used before, and the window is over: the family must end. The caller cuts it.
        case reused(family: NodeID)
    }

    let store: TokenStore

    public init(store: TokenStore) { self.store = store }

    /// The family of a presented refresh token, if this server made it; `usedAt` where the token was rotated away.
    public func find(_ text: String) async throws -> TokenRow? {
        guard let token = RefreshToken(text, key: store.refreshKey) else { return nil }
        return try await store.database.query("""
            select f.id, f.id as family, f.lineage, f.issued_at, coalesce(f.idle_until, 'infinity') as expires_at,
                   case when f.sequence > \(token.sequence) then f.rotated_at end as used_at, f.child, f.realm, f.kind, f.parent,
                   f.anchor, f.account, f.client, f.service, f.bundle, f.scope, f.jkt, f.detail,
                   exists (select from revocation r where r.node = any (f.lineage)) as is_cut
            from family f where f.id = \(token.family)
            """).first.map { try TokenRow($0) }
    }

    /// One statement decides. `jkt` is the thumbprint of the key shown with the request, which must be the family's; `admits` says whether
    /// the caller may have it otherwise, before anything is used. `scope` replaces the family's in the new token alone (RFC 6749, 6: the refresh token keeps its own).
    public func rotate(_ text: String, realm: String, jkt: String?, scope: String? = nil, lifetime: @Sendable (TokenKind) -> TimeInterval,
                       admits: @Sendable (TokenBody) -> Bool) async throws -> Rotation {
        guard let token = RefreshToken(text, key: store.refreshKey), let family = try await find(text), family.body.realm == realm,
              family.body.jkt == jkt, admits(family.body) else { return .refused }
        let now = store.clock.now()
        let seconds = lifetime(family.body.kind)
        let id = NodeID(issuedAt: now, keptUntil: now.addingTimeInterval(seconds), randomness: store.randomness)
        let rotated = try await store.partitions.withPartition(retrying: true) {
            try await store.database.query(rotation(token, id: id, jkt: jkt, scope: scope, now: now, expires: now.addingTimeInterval(seconds)))
        }
        if let row = rotated.first { return .child(try issued(row, sequence: token.sequence + 1)) }
        return try await settle(token, now: now)
    }

    /// A rotation that the holder did not ask for by refresh token: an upgrade hands out the next pair of the same family.
    public func advance(_ family: NodeID, lifetime: TimeInterval, in executor: any SQLExecutor) async throws -> IssuedToken {
        let now = store.clock.now()
        guard let current: Int32 = try await executor.query("select sequence from family where id = \(family) for update").first
            .map({ try $0("sequence") }) else { throw AncestorCut() }
        let id = NodeID(issuedAt: now, keptUntil: now.addingTimeInterval(lifetime), randomness: store.randomness)
        let token = RefreshToken(family: family, sequence: current)
        let rows = try await executor.query(rotation(token, id: id, jkt: nil, now: now, expires: now.addingTimeInterval(lifetime)))
        guard let row = rows.first else { throw AncestorCut() }
        return try issued(row, sequence: current + 1)
    }

    private func rotation(_ token: RefreshToken, id: NodeID, jkt: String?, scope: String? = nil, now: Date, expires: Date) -> SQL {
        """
        with rotated as (
            update family f set sequence = f.sequence + 1, rotated_at = \(now), child = \(id),
                   idle_until = \(now)::timestamptz + (f.idle_until - coalesce(f.rotated_at, f.issued_at))
            where f.id = \(token.family) and f.sequence = \(token.sequence) and (\(jkt)::text is null or f.jkt = \(jkt))
              and (f.idle_until is null or f.idle_until > \(now)) and not exists (select from revocation r where r.node = any (f.lineage))
            returning f.id, f.lineage, f.realm, f.kind, f.parent, f.anchor, f.account, f.client, f.service, f.bundle, f.scope, f.jkt, f.detail
        )
        insert into token as t (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, account, client, service, bundle, scope, jkt, detail)
        select \(id), r.realm, r.kind, r.id, r.parent, r.anchor, r.lineage, \(now), \(expires), r.account, r.client, r.service, r.bundle, coalesce(\(scope)::text, r.scope), r.jkt, r.detail
        from rotated r
        returning \(TokenRow.columns)
        """
    }

    /// Why the statement touched nothing.
    private func settle(_ token: RefreshToken, now: Date) async throws -> Rotation {
        let rows = try await store.database.query("""
            select f.sequence, f.rotated_at, f.child, (f.idle_until is not null and f.idle_until <= \(now))
                   or exists (select from revocation r where r.node = any (f.lineage)) as is_dead
            from family f where f.id = \(token.family)
            """)
        guard let row = rows.first else { return .refused }
        let (sequence, rotatedAt, child, isDead): (Int32, Date?, NodeID, Bool) = (try row("sequence"), try row("rotated_at"), try row("child"), try row("is_dead"))
        if isDead { return .refused }
        let isNewest = token.sequence == sequence - 1
        if isNewest, let rotatedAt, now.timeIntervalSince(rotatedAt) <= RefreshFamily.graceWindow, let row = try await store.find(child) {
            return .child(IssuedToken(row: row, refreshToken: RefreshToken(family: token.family, sequence: sequence).text(key: store.refreshKey)))
        }
        return .reused(family: token.family)
    }

    private func issued(_ row: Row, sequence: Int32) throws -> IssuedToken {
        let token = try TokenRow(row)
        return IssuedToken(row: token, refreshToken: RefreshToken(family: token.family, sequence: sequence).text(key: store.refreshKey))
    }
}
