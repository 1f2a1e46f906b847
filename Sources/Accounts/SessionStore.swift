import Base
import Database
import Foundation

/// Rows of `browser_session`, and the authentication events that belong to them.
public struct SessionStore: Sendable {
    /// Seconds a login is good for in one browser, however busy: a working day.
    public static let lifetime: TimeInterval = 12 * 3_600
    /// How long an event without a session is known: so long ago a client must have been used for the account to be a
    /// stranger to it again.
    static let memory: TimeInterval = 400 * 86_400

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// The session behind a cookie, if it lives: not expired, nothing of its lineage revoked, its person active.
    public func find(cookie: String, in executor: any SQLExecutor) async throws -> BrowserSession? {
        try await executor.query(
            """
            select \(BrowserSession.columns), \(Account.columns) from \(BrowserSession.source)
            where s.secret = \(Digest.sha256(cookie)) and \(isLive)
            """
        ).first.map { try BrowserSession($0) }
    }

    /// A new session for a login that just happened. `lineage` has the node `session:id` in it. False when something of
    /// the lineage was revoked meanwhile; the caller holds it.
    public func begin(
        _ event: AuthenticationEvent, id: String, lineage: [NodeID], cookie: String, device: String?, origin: String?,
        in executor: any SQLExecutor
    ) async throws -> Bool {
        let now = clock.now(), expires = now.addingTimeInterval(SessionStore.lifetime)
        let begun = try await executor.execute(
            """
            insert into browser_session (id, secret, account, lineage, device, origin, created_at, last_seen,
                expires_at)
            select \(id), \(Digest.sha256(cookie)), \(event.account.id), \(lineage), \(device), \(origin), \(now),
                \(now), \(expires)
            where not exists (select from revocation r where r.node = any (\(lineage)))
            """)
        guard begun == 1 else { return false }
        _ = try await executor.execute("update authentication_event set session = \(id) where id = \(event.id)")
        return true
    }

    /// The session goes on under another generation of what began it: the browser in which a person changes their
    /// password.
    public func move(
        _ session: BrowserSession, from old: NodeID, to new: NodeID, in executor: any SQLExecutor
    ) async throws {
        _ = try await executor.execute(
            """
            update browser_session set lineage = array_replace(lineage, \(old), \(new)) where id = \(session.id)
            """)
    }

    /// How many live sessions hang from a node.
    public func count(below node: NodeID, in executor: any SQLExecutor) async throws -> Int {
        try await executor.query(
            """
            select count(s.id) as number from browser_session s join account a on a.id = s.account
            where \(node) = any (s.lineage) and \(isLive)
            """
        ).first.map { try $0("number") } ?? 0
    }

    /// Another login of the same person in the same browser: the session stays, its cookie does not (OWASP: session
    /// fixation). False when it ended meanwhile.
    public func renew(
        _ session: BrowserSession, by event: AuthenticationEvent, cookie: String, in executor: any SQLExecutor
    ) async throws -> Bool {
        let now = clock.now()
        let renewed = try await executor.query(
            """
            update browser_session s set secret = \(Digest.sha256(cookie)), last_seen = \(now),
                expires_at = \(now.addingTimeInterval(SessionStore.lifetime))
            where s.id = \(session.id) and s.account = \(event.account.id) and s.expires_at > \(now)
              and not exists (select from revocation r where r.node = any (s.lineage))
            returning s.id
            """)
        guard !renewed.isEmpty else { return false }
        _ = try await executor.execute("update authentication_event set session = \(session.id) where id = \(event.id)")
        return true
    }

    /// Noted once a minute at most: a page view need not be a write.
    public func seen(_ session: BrowserSession, in executor: any SQLExecutor) async throws {
        let now = clock.now()
        guard now.timeIntervalSince(session.lastSeen) > 60 else { return }
        _ = try await executor.execute("update browser_session set last_seen = \(now) where id = \(session.id)")
    }

    /// A person's live sessions, latest first.
    public func list(of account: UUID, in executor: any SQLExecutor) async throws -> [BrowserSession] {
        try await executor.query(
            """
            select \(BrowserSession.columns), \(Account.columns) from \(BrowserSession.source)
            where s.account = \(account) and \(isLive) order by s.last_seen desc, s.id limit 200
            """
        ).map { try BrowserSession($0) }
    }

    /// All live sessions of a person, however many.
    public func ids(of account: UUID, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            """
            select s.id from browser_session s join account a on a.id = s.account where s.account = \(account)
                and \(isLive) order by s.id
            """
        ).map { try $0("id", as: String.self) }
    }

    /// Whether it is a live session of this person.
    public func isLive(_ id: String, of account: UUID, in executor: any SQLExecutor) async throws -> Bool {
        try await !executor.query(
            """
            select s.id from browser_session s join account a on a.id = s.account where s.id = \(id)
                and s.account = \(account) and \(isLive)
            """
        ).isEmpty
    }

    /// A person's live sessions in which a factor was shown, or two factors of which nobody wrote down the name:
    /// however many there are.
    public func showing(_ factor: String, of account: UUID, in executor: any SQLExecutor) async throws -> [String] {
        try await executor.query(
            """
            select s.id from browser_session s join account a on a.id = s.account
            where s.account = \(account) and \(isLive) and exists (
                select from authentication_event e
                where e.session = s.id and (e.factor = \(factor) or (e.factor is null and 'mfa' = any (e.methods))))
            order by s.id
            """
        ).map { try $0("id", as: String.self) }
    }

    /// Whether somebody logged in to this account from this client before: then it is no stranger to it.
    public func knows(_ client: String, account username: String, in executor: any SQLExecutor) async throws -> UUID? {
        try await executor.query(
            """
            select a.id from account a where \(AccountStore.isNamed(username))
              and exists (select from authentication_event e where e.account = a.id and e.client = \(client))
            order by \(AccountStore.nearest(username)) limit 1
            """
        ).first.map { try $0("id") }
    }

    /// Drops sessions that have been over for a day, and events whose session is gone, or that never had one, after
    /// `memory`: until then they tell which clients are no strangers (`knows`, `AuthenticationEvents.hasCompleted`). So
    /// many a round, that one round after a long pause is no long statement.
    public func forget(in executor: any SQLExecutor) async throws {
        let now = clock.now()
        _ = try await executor.execute(
            "delete from browser_session where expires_at < \(now.addingTimeInterval(-86_400))")
        _ = try await executor.execute(
            """
            delete from authentication_event where session is null and id in (
                select e.id from authentication_event e where e.session is null
                    and e.at < \(now.addingTimeInterval(-SessionStore.memory)) order by e.at limit 10000)
            """)
    }

    private var isLive: SQL {
        """
        s.expires_at > \(clock.now()) and a.status = 'active' and not exists (select from revocation r
            where r.node = any (s.lineage))
        """
    }
}
