import Base
import Database
import Foundation

/// Rotation of refresh tokens (token-tree.md, rule 4; RFC 9700, 4.14.2).
///
/// Its answer may have been lost, so the token before the newest may be shown again, and gets the same pair: until ten
/// seconds after the answer was sent. What was never sent (the server went down behind the commit, or could not read
/// that it was made) left its holder with the old token, which is therefore the current one still, however long the
/// outage lasts. Neither leaves anything to a thief of an old token that a thief of the current one would not have.
///
/// One that is ahead of its row was made by a commit that the database has lost since (`Setback`). Its holder did
/// nothing wrong and has the newest there is, so the row catches up: the family goes on, and what is older is old
/// again.
///
/// Anything else is reuse, and ends the family.
public struct RefreshFamily: Sendable {
    /// Seconds.
    public static let graceWindow: TimeInterval = 10

    public enum Rotation: Sendable {
        /// Rotated now, or the same child again.
        case child(IssuedToken)
        /// Not ours, revoked, idle for too long, or shown with another key or by another client: nothing was used or
        /// ended.
        case refused
        /// Used before, and no answer can have been lost: the family must end. The caller revokes it.
        case reused(family: NodeID)
        /// Shown again with another scope than that of the answer that may have been lost, which was `granted`. Nothing
        /// was used or ended.
        case otherScope(granted: String?)
        /// Shown again for another resource than that of the answer that may have been lost, which was `granted`: `nil`
        /// for who issues. Nothing was used or ended.
        case otherResource(granted: String?)
        /// What was asked for is to be had no more, or not now; the family goes on for its others. Nothing was used or
        /// ended.
        case resourceClosed
    }

    let store: TokenStore

    public init(store: TokenStore) { self.store = store }

    /// A presented refresh token with its family, if this server made it; `usedAt` where the token was rotated away.
    public func find(_ text: String) async throws -> PresentedRefreshToken? {
        guard let token = RefreshToken(text, key: store.refreshKey) else { return nil }
        return try await store.presented.find(token)
    }

    /// Those of `tokens` that have a family, each with it.
    static func find(
        _ tokens: [RefreshToken], in database: Database
    ) async throws -> [(RefreshToken, PresentedRefreshToken)] {
        try await database.query(
            """
            select f.id, f.id as family, f.lineage, f.issued_at, coalesce(f.idle_until, 'infinity') as expires_at,
                   case when f.sequence > shown.sequence then f.rotated_at end as used_at, f.child, f.realm,
                       f.kind, f.parent,
                   f.anchor, f.account, f.client, f.service, f.bundle, f.scope, f.jkt, f.detail,
                   exists (select from revocation r where r.node = any (f.lineage)) as is_revoked,
                   shown.sequence as shown_sequence
            from unnest(\(tokens.map(\.family))::uuid[], \(tokens.map(\.sequence))::int[]) shown (family, sequence)
            join family f on f.id = shown.family
            """
        ).map { row in
            let token = RefreshToken(family: try row("id"), sequence: try row("shown_sequence"))
            return (token, PresentedRefreshToken(token: token, family: try TokenRow(row)))
        }
    }

    /// One statement decides, and asks again for all of the family that may have changed since it was found. `jkt` is
    /// the thumbprint of the key shown with the request, which must be the family's; `admits` says whether the caller
    /// may have it otherwise, before anything is used. `scope` replaces the family's in the new token alone (RFC 6749,
    /// 6: the refresh token keeps its own), and so do audience and lineage of `resource`.
    public func rotate(
        _ shown: PresentedRefreshToken, realm: String, jkt: String?, scope: String? = nil,
        resource: RefreshedResource? = nil, lifetime: TimeInterval, admits: @Sendable (TokenBody) -> Bool
    ) async throws -> Rotation {
        let token = shown.token, family = shown.family
        guard family.body.realm == realm, family.body.jkt == jkt, admits(family.body) else { return .refused }
        let wanted = scope ?? family.body.scope,
            audience = resource.map(\.granted.audience) ?? family.body.claims.audience
        let above = resource?.above(family) ?? []
        // Of those that try at once, each sees in a round or two what the others did.
        for _ in 0..<4 {
            let now = store.clock.now(), draft = draft(lifetime: lifetime, at: now)
            let rotated = try await attempt(
                rotation(token, draft, jkt: jkt, scope: scope, resource), of: token, above: above)
            if let row = rotated.first { return .child(try issued(row, sequence: token.sequence + 1, at: now)) }
            guard let standing = try await standing(of: token, at: now) else { return .refused }
            if case .current = standing, resource != nil { return .resourceClosed }
            if case .ahead(let steps) = standing {
                let overtaken = rotation(token, draft, jkt: jkt, scope: scope, resource, isAhead: true)
                if let row = try await attempt(overtaken, of: token, above: above).first {
                    await store.setbacks.note(token.family, ahead: steps)
                    return .child(try issued(row, sequence: token.sequence + 1, at: now))
                }
                if let resource, try await !store.holds(resource.isOpen, in: nil) {
                    return .resourceClosed
                }
                continue
            }
            guard case .replaced(let id, let isAnswered) = standing else { return .reused(family: token.family) }
            if let child = try await store.find(id) {
                guard RefreshFamily.isSame(child.body.scope, wanted) else {
                    return .otherScope(granted: child.body.scope)
                }
                guard child.body.claims.audience == audience else {
                    return .otherResource(granted: child.body.claims.audience)
                }
                if let resource, try await !store.holds(resource.isOpen, in: nil) { return .resourceClosed }
                if child.expiresAt > now || isAnswered {
                    return .child(
                        IssuedToken(row: child, refreshToken: refreshToken(token.family, token.sequence + 1), at: now))
                }
            }
            let renewed = try await attempt(
                renewal(token, of: id, draft, scope: scope, resource), of: token, above: above)
            if let row = renewed.first { return .child(try issued(row, sequence: token.sequence + 1, at: now)) }
        }
        throw DatabaseError.serialization
    }

    /// For who sends the answer: does the `write` of all of it, and notes that it left. The first one to a rotation
    /// begins the last ten seconds of the token before; one that threw, or took long, went to nobody.
    public func sending(
        _ issued: IssuedToken
    ) -> @Sendable (_ write: () async throws -> Void) async throws -> Void {
        let sent = store.sent, clock = store.clock
        return { write in
            let leaving = sent.begin(issued.row.family, child: issued.row.id, at: clock.now())
            do {
                try await write()
            } catch {
                sent.fail(leaving)
                throw error
            }
            sent.succeed(leaving)
        }
    }

    /// A rotation that the holder did not ask for by refresh token: an upgrade hands out the next pair of the same
    /// family. The caller notes the answer (`sending`).
    public func advance(
        _ family: NodeID, lifetime: TimeInterval, in executor: any SQLExecutor
    ) async throws -> IssuedToken {
        let now = store.clock.now()
        guard
            let current: Int32 = try await executor.query("select sequence from family where id = \(family) for update")
                .first
                .map({ try $0("sequence") })
        else { throw AncestorRevoked() }
        let token = RefreshToken(family: family, sequence: current)
        let rows = try await executor.query(rotation(token, draft(lifetime: lifetime, at: now), jkt: nil))
        guard let row = rows.first else { throw AncestorRevoked() }
        return try issued(row, sequence: current + 1, at: now)
    }

    /// The token that a rotation makes.
    private struct Draft {
        let id: NodeID
        let now: Date
        let expires: Date
    }

    private func draft(lifetime: TimeInterval, at now: Date) -> Draft {
        let expires = now.addingTimeInterval(lifetime)
        return Draft(
            id: NodeID(issuedAt: now, keptUntil: expires, randomness: store.randomness), now: now, expires: expires)
    }

    private func attempt(_ statement: SQL, of token: RefreshToken, above: [NodeID]) async throws -> [Row] {
        try await store.insertions.commit(.init(rotating: token.family, above: above, by: statement))
    }

    private func rotation(
        _ token: RefreshToken, _ draft: Draft, jkt: String?, scope: String? = nil,
        _ resource: RefreshedResource? = nil, isAhead: Bool = false
    ) -> SQL {
        let isNewest: SQL = isAhead ? "f.sequence < \(token.sequence)" : "f.sequence = \(token.sequence)"
        return insertion(
            draft, scope: scope, resource,
            after: """
                update family f set sequence = \(token.sequence)::integer + 1, rotated_at = \(draft.now),
                    child = \(draft.id), answered_at = 'infinity',
                       idle_until = \(draft.now)::timestamptz + (f.idle_until - coalesce(f.rotated_at, f.issued_at))
                where f.id = \(token.family) and \(isNewest) and (\(jkt)::text is null
                    or f.jkt = \(jkt))
                  and \(RefreshFamily.isLive(at: draft.now)) and \(resource?.isOpen ?? "true")
                """)
    }

    /// Another access token in place of `child`, which was sent to nobody and has ended since: the pair whose answer
    /// was lost, to be sent again.
    private func renewal(
        _ token: RefreshToken, of child: NodeID, _ draft: Draft, scope: String?, _ resource: RefreshedResource?
    ) -> SQL {
        insertion(
            draft, scope: scope, resource,
            after: """
                update family f set child = \(draft.id)
                where f.id = \(token.family) and f.sequence = \(token.sequence + 1) and f.child = \(child)
                    and f.answered_at = 'infinity'
                  and \(RefreshFamily.isLive(at: draft.now)) and \(resource?.isOpen ?? "true")
                """)
    }

    private static func isLive(at now: Date) -> SQL {
        """
        (f.idle_until is null or f.idle_until > \(now)) and not exists (select from revocation r
            where r.node = any (f.lineage))
        """
    }

    /// The new row of `token`, if the update of its family touched one.
    private func insertion(_ draft: Draft, scope: String?, _ resource: RefreshedResource?, after update: SQL) -> SQL {
        """
        with rotated as (
            \(update)
            returning f.id, \(resource?.lineage ?? "f.lineage") as lineage, f.realm, f.kind, f.parent, f.anchor,
                f.account, f.client, f.service, f.bundle, f.scope, f.jkt, \(resource?.detail ?? "f.detail") as detail
        )\(resource?.parts ?? "")
        insert into token as t (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, account,
            client, service, bundle, scope, jkt, detail)
        select \(draft.id), r.realm, r.kind, r.id, r.parent, r.anchor, r.lineage, \(draft.now), \(draft.expires),
            r.account, r.client, r.service, r.bundle,
               coalesce(\(scope)::text, r.scope), r.jkt, r.detail
        from rotated r
        returning \(TokenRow.columns)
        """
    }

    /// What a refresh token is that did not rotate.
    private enum Standing {
        /// The one before the newest, whose answer may have been lost: it gets `child` again.
        case replaced(by: NodeID, isAnswered: Bool)
        /// The newest.
        case current
        /// Newer than the newest that the database knows of, by `steps`.
        case ahead(steps: Int32)
        /// Used before, and no answer can have been lost.
        case used
    }

    /// `nil` where the family is dead. `answered_at` is `infinity` until it is noted that an answer was sent, and null
    /// where a version that noted nothing rotated.
    private func standing(of token: RefreshToken, at now: Date) async throws -> Standing? {
        let sent: SQL =
            store.sent.of(token.family).map {
                "case when f.child = \($0.child) then least(f.answered_at, \($0.at)) else f.answered_at end"
            } ?? "f.answered_at"
        let rows = try await store.database.query(
            """
            select f.sequence, f.child, \(sent) is distinct from 'infinity' as is_answered,
                   coalesce(\(sent), f.rotated_at) >= \(now.addingTimeInterval(-RefreshFamily.graceWindow))
                       as may_be_lost,
                   \(RefreshFamily.isLive(at: now)) as is_live
            from family f where f.id = \(token.family)
            """)
        guard let row = rows.first, try row("is_live", as: Bool.self) else { return nil }
        let newest: Int32 = try row("sequence")
        guard token.sequence != newest else { return .current }
        guard token.sequence < newest else { return .ahead(steps: token.sequence - newest) }
        guard token.sequence == newest - 1, try row("may_be_lost", as: Bool.self) else {
            return .used
        }
        return .replaced(by: try row("child"), isAnswered: try row("is_answered"))
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        Set((left ?? "").split(separator: " ")) == Set((right ?? "").split(separator: " "))
    }

    private func issued(_ row: Row, sequence: Int32, at now: Date) throws -> IssuedToken {
        let token = try TokenRow(row)
        return IssuedToken(row: token, refreshToken: refreshToken(token.family, sequence), at: now)
    }

    private func refreshToken(_ family: NodeID, _ sequence: Int32) -> String {
        RefreshToken(family: family, sequence: sequence).text(key: store.refreshKey)
    }
}
