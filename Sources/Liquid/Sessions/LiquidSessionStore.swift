import Base
import Database
import Foundation
import Passkeys
import TokenTree

/// Rows of `liquid_session`. A session lives iff it has not expired and nothing of its lineage was revoked: epoch, the
/// passkey that let it in, itself.
public struct LiquidSessionStore: Sendable {
    /// Seconds between two notes that a session is used: a request need not be a write.
    static let noted: TimeInterval = 3_600
    /// Seconds of a session that waits to be linked, whoever asks for one; an open socket prolongs it, as does a
    /// request, noted more often.
    static let kept: TimeInterval = 3_600
    static let notedWaiting: TimeInterval = 1_200
    /// Seconds for which requests under way may still bring the cookie of before.
    static let grace: TimeInterval = 10

    let store: TokenStore
    let revocation: Revocation
    let cookies: SessionCookies
    let lifetime: TimeInterval
    let clock: WallClock
    let randomness: Randomness

    // MARK: Reading

    /// A cookie of a session that ended, or that is not ours, is as good as none: another takes its place. `renewing`:
    /// the answer can set a cookie that whoever asks keeps; then a session that a wallet was linked with since gets
    /// another.
    func presented(
        cookie: String?, device: String?, origin: String?, renewing: Bool = false, in executor: any SQLExecutor
    ) async throws -> PresentedSession {
        guard let sid = cookie.flatMap({ cookies.read($0) }) else { return fresh(device, origin) }
        let rows = try await executor.query(
            """
            select \(LiquidSession.columns), x.secret = \(sid.hash) as is_current, x.rotates,
                (x.secret = \(sid.hash) or coalesce(x.old_secret = \(sid.hash)
                    and x.old_until > \(clock.now()), false)) and \(isLive) as is_here
            from liquid_session x where x.id = \(sid.id)
            """)
        guard let row = rows.first else {
            return PresentedSession(sid: sid, session: nil, newCookie: nil, device: device, origin: origin)
        }
        guard try row("is_here", as: Bool.self) else { return fresh(device, origin) }
        let session = try LiquidSession(row), isCurrent: Bool = try row("is_current"),
            rotates: Bool = try row("rotates")
        guard isCurrent else {
            return PresentedSession(
                sid: sid, session: session, newCookie: nil, device: device, origin: origin, isCurrent: false)
        }
        if renewing, rotates {
            guard let next = try await renew(sid, in: executor) else {
                return PresentedSession(
                    sid: sid, session: session, newCookie: nil, device: device, origin: origin, isCurrent: false)
            }
            return PresentedSession(
                sid: next, session: session, newCookie: cookies.value(next), device: device, origin: origin)
        }
        // The browser's own end of the cookie moves with ours.
        let isNoted = try await seen(session, in: executor)
        return PresentedSession(
            sid: sid, session: session, newCookie: isNoted ? cookies.value(sid) : nil, device: device, origin: origin)
    }

    /// The session's name stays, and with it its sockets and links. Of requests that come at once one gets the cookie;
    /// `nil` for the others.
    private func renew(_ sid: SessionID, in executor: any SQLExecutor) async throws -> SessionID? {
        let next = sid.renewed(randomness), now = clock.now()
        let renewed = try await executor.query(
            """
            update liquid_session x set secret = \(next.hash), rotates = false, old_secret = \(sid.hash),
                old_until = \(now.addingTimeInterval(LiquidSessionStore.grace))
            where x.id = \(sid.id) and x.secret = \(sid.hash) and x.rotates and \(isLive) returning x.id
            """)
        return renewed.isEmpty ? nil : next
    }

    private func fresh(_ device: String?, _ origin: String?) -> PresentedSession {
        let sid = SessionID(randomness)
        return PresentedSession(sid: sid, session: nil, newCookie: cookies.value(sid), device: device, origin: origin)
    }

    /// False where that was noted lately.
    private func seen(_ session: LiquidSession, in executor: any SQLExecutor) async throws -> Bool {
        let noted = session.wallet == nil ? LiquidSessionStore.notedWaiting : LiquidSessionStore.noted
        guard clock.now().timeIntervalSince(session.lastSeen) > noted else { return false }
        try await touch([session.id], in: executor)
        return true
    }

    /// Goes on for another `lifetime`: a request came, or a socket is open (an idle one asks for nothing). So do the
    /// links that it belongs to. Those that ended stay so.
    public func touch(_ ids: [String], in executor: any SQLExecutor) async throws {
        let now = clock.now(), end = now.addingTimeInterval(lifetime)
        let touched = try await executor.query(
            """
            update liquid_session x set last_seen = \(now),
                expires_at = greatest(x.expires_at, case when x.wallet is null and x.begun_by is null
                        then \(now.addingTimeInterval(LiquidSessionStore.kept))
                    else least(\(end), coalesce(x.token_until, 'infinity')) end)
            where x.id = any (\(ids)) and \(isLive)
            returning x.id
            """
        ).map { try $0("id", as: String.self) }
        guard !touched.isEmpty else { return }
        // Locked in one order: both sides of a link may be touched at once.
        _ = try await executor.execute(
            """
            update signalling_link set expires_at = greatest(expires_at, \(end)) where request in (
                select l.request from signalling_link l
                where (l.linker = any (\(touched)) or l.session = any (\(touched))) and l.linked_at is not null
                    and l.expires_at > \(now)
                order by l.request for update)
            """)
    }

    /// The session as it is now; `nil` when it has ended or never had a row.
    public func find(_ id: String, in executor: any SQLExecutor) async throws -> LiquidSession? {
        try await executor.query(
            "select \(LiquidSession.columns) from liquid_session x where x.id = \(id) and \(isLive)"
        ).first.map { try LiquidSession($0) }
    }

    /// Those of `ids` that live: for whoever keeps sockets open.
    public func living(_ ids: [String], in executor: any SQLExecutor) async throws -> Set<String> {
        Set(
            try await executor.query("select x.id from liquid_session x where x.id = any (\(ids)) and \(isLive)").map {
                try $0("id", as: String.self)
            })
    }

    /// Those that have not expired and hang below an ancestor, revoked or not.
    func below(_ ancestor: Ancestor, in executor: any SQLExecutor) async throws -> [String] {
        let condition: SQL
        switch ancestor.kind {
        case .epoch: condition = "true"
        case .session where ancestor.name.hasPrefix(LiquidSession.prefix):
            condition = "x.id = \(String(ancestor.name.dropFirst(LiquidSession.prefix.count)))"
        case .key:
            guard let credential = Passkey.credential(of: ancestor) else { return [] }
            condition = "x.credential = \(credential)"
        default: return []
        }
        return try await executor.query(
            "select x.id from liquid_session x where \(condition) and x.expires_at > \(clock.now()) order by x.id"
        )
        .map { try $0("id", as: String.self) }
    }

    // MARK: Letting in

    /// Gives a browser's session its row, without a wallet: for one that asks to be linked. Gives back its id; `nil`
    /// when it has ended meanwhile.
    public func keep(_ presented: PresentedSession, in transaction: any SQLExecutor) async throws -> String? {
        guard presented.session == nil else { return try await find(presented.id, in: transaction)?.id }
        let lineage = try await store.generations(of: [.epoch, LiquidSession.node(presented.id)], in: transaction)
        try await insert(presented.sid, lineage: lineage, presented, in: transaction)
        let rows = try await transaction.query(
            """
            select x.id from liquid_session x where x.id = \(presented.id) and x.secret = \(presented.sid.hash)
                and \(isLive)
            """
        )
        return try rows.first.map { try $0("id", as: String.self) }
    }

    /// A passkey answered: a new session with a new cookie, and the old one is over (OWASP: session fixation).
    func enter(
        _ presented: PresentedSession, wallet: String, credential: [UInt8], in transaction: any SQLExecutor
    ) async throws -> SessionID {
        if presented.session != nil {
            let actor = AuditActor.wallet(wallet, origin: presented.origin).because("another login in the same session")
            try await revocation.revoke(.virtual(LiquidSession.node(presented.id)), by: actor, in: transaction)
        }
        let sid = SessionID(randomness)
        let lineage = try await store.generations(
            of: [.epoch, Passkey.node(credential), LiquidSession.node(sid.id)], in: transaction)
        try await store.hold(lineage, in: transaction)
        // Revoked between the two statements: once more, below what is open by then. Nobody is let in to a session that
        // is over already.
        guard try await transaction.query("select r.node from revocation r where r.node = any (\(lineage))").isEmpty
        else { throw DatabaseError.serialization }
        try await insert(sid, lineage: lineage, presented, wallet: wallet, credential: credential, in: transaction)
        return sid
    }

    /// Puts a session that waits under the wallet whose passkey answered elsewhere. The caller has settled that the two
    /// belong together. A session that a passkey of this wallet had let in stays as it is. False when one of both is
    /// over, and where a passkey of another wallet had: nobody is somebody else by a link.
    public func link(
        _ id: String, wallet: String, credential: [UInt8], in transaction: any SQLExecutor
    ) async throws -> Bool {
        let lineage = try await store.generations(
            of: [.epoch, Passkey.node(credential), LiquidSession.node(id)], in: transaction)
        try await store.hold(lineage, in: transaction)
        let now = clock.now()
        let already: SQL = "x.wallet is not distinct from \(wallet)::text and x.entered = 'credential'"
        let linked = try await transaction.query(
            """
            update liquid_session x set
                wallet = \(wallet),
                credential = case when \(already) then x.credential else \(credential) end,
                entered = case when \(already) then x.entered else 'link' end,
                lineage = case when \(already) then x.lineage else \(lineage) end,
                rotates = x.rotates or x.wallet is distinct from \(wallet)::text,
                last_seen = \(now),
                expires_at = greatest(x.expires_at,
                    least(\(now.addingTimeInterval(lifetime)), coalesce(x.token_until, 'infinity')))
            where x.id = \(id) and \(isLive) and exists (select from passkey p where p.id = \(credential)
                and p.wallet = \(wallet))
              and (x.entered is distinct from 'credential' or x.wallet = \(wallet))
              and not exists (select from revocation r where r.node = any (\(lineage)))
            returning x.id
            """)
        return !linked.isEmpty
    }

    /// Takes away a session that waits to be linked, and closes its sockets; false when it is linked, or gone.
    func drop(waiting session: LiquidSession, in transaction: any SQLExecutor) async throws -> Bool {
        guard
            try await transaction.execute("delete from liquid_session where id = \(session.id) and wallet is null") == 1
        else { return false }
        _ = try await transaction.execute(
            "delete from ancestor where kind = \(Ancestor.Kind.session) and name = \(LiquidSession.prefix + session.id)"
        )
        try await SessionRevocations(clock: clock).ended(session.node, in: transaction)
        return true
    }

    /// Holds a session until the transaction ends, so that whoever revokes it waits. False when it has ended.
    func hold(_ session: LiquidSession, in transaction: any SQLExecutor) async throws -> Bool {
        try await store.hold(session.lineage, in: transaction)
        return try await !transaction.query(
            """
            select x.id from liquid_session x where x.id = \(session.id) and x.lineage = \(session.lineage)
                and \(isLive)
            """
        ).isEmpty
    }

    private func insert(
        _ sid: SessionID, lineage: [NodeID], _ presented: PresentedSession, wallet: String? = nil,
        credential: [UInt8]? = nil,
        in transaction: any SQLExecutor
    ) async throws {
        let now = clock.now(), entered: LiquidSession.Entered? = wallet == nil ? nil : .credential
        let expires = now.addingTimeInterval(wallet == nil ? LiquidSessionStore.kept : lifetime)
        _ = try await transaction.execute(
            """
            insert into liquid_session (id, secret, lineage, wallet, credential, entered, device, origin,
                created_at, last_seen, expires_at)
            values (\(sid.id), \(sid.hash), \(lineage), \(wallet), \(credential), \(entered), \(presented.device),
                \(presented.origin), \(now), \(now), \(expires))
            on conflict (id) do nothing
            """)
    }

    /// Of `x`.
    var isLive: SQL { LiquidSession.isLive(at: clock.now()) }
}
