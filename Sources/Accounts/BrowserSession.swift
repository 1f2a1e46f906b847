import Base
import Database
import Foundation
import Vocabulary

/// A person's login in one browser: what single sign-on over all applications is made of.
public struct BrowserSession: Sendable {
    /// `sid` (OpenID Connect Front-Channel Logout, 3): name of the node `session:ID`, no secret.
    public let id: String
    public let account: Account
    /// Epoch, account, session: what is issued in it hangs below.
    public let lineage: [NodeID]
    public let authentication: AuthenticationContext
    /// When one answer last showed two factors (`mfa`), however often a password was typed since; `nil`: never.
    public let twoFactorsAt: Date?
    /// User-Agent of the browser that logged in.
    public let device: String?
    public let origin: String?
    public let createdAt: Date
    public let lastSeen: Date
    public let expiresAt: Date

    static let columns: SQL = """
        s.id as sid, s.lineage, s.device, s.origin, s.created_at as session_created_at, s.last_seen, s.expires_at,
        (select coalesce(array_agg(distinct m.name), '{}') from authentication_event e cross join unnest(e.methods) as m (name) where e.session = s.id) as methods,
        (select max(e.at) from authentication_event e where e.session = s.id) as authenticated_at,
        (select max(e.at) from authentication_event e where e.session = s.id and 'mfa' = any (e.methods)) as two_factors_at
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, lineage, device, origin) = (try row("sid"), try row("lineage"), try row("device"), try row("origin"))
        (createdAt, lastSeen, expiresAt) = (try row("session_created_at"), try row("last_seen"), try row("expires_at"))
        (account, twoFactorsAt) = (try Account(row), try row("two_factors_at"))
        let (methods, time): ([String], Date?) = (try row("methods"), try row("authenticated_at"))
        authentication = AuthenticationContext(methods: methods, time: time ?? createdAt)
    }
}
