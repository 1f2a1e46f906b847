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
    /// When a second factor was last shown, by its name; `""` for two factors in one answer (`mfa`) of which nobody wrote down the name. However often a password
    /// was typed since. Possession alone is a second factor beside a password only, so it is as old as the older of both.
    public let shown: [String: Date]
    /// When a password was last typed in it.
    public let passwordAt: Date?
    /// The latest of them; `nil`: never.
    public var factorAt: Date? { shown.values.max() }
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
        (select coalesce(array_agg(f.name order by f.name), '{}') from (
            select distinct coalesce(e.factor, '') as name from authentication_event e
            where e.session = s.id and (e.factor is not null or 'mfa' = any (e.methods))) f) as factors,
        (select coalesce(array_agg(f.at order by f.name), '{}') from (
            select coalesce(e.factor, '') as name,
                case when bool_or('mfa' = any (e.methods)) then max(e.at) filter (where 'mfa' = any (e.methods))
                    else least(max(e.at), (select max(p.at) from authentication_event p where p.session = s.id and 'pwd' = any (p.methods))) end as at
            from authentication_event e
            where e.session = s.id and (e.factor is not null or 'mfa' = any (e.methods)) group by 1) f) as factors_shown_at,
        (select max(p.at) from authentication_event p where p.session = s.id and 'pwd' = any (p.methods)) as password_at
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, lineage, device, origin) = (try row("sid"), try row("lineage"), try row("device"), try row("origin"))
        (createdAt, lastSeen, expiresAt) = (try row("session_created_at"), try row("last_seen"), try row("expires_at"))
        account = try Account(row)
        let (factors, times): ([String], [Date]) = (try row("factors"), try row("factors_shown_at"))
        shown = Dictionary(zip(factors, times), uniquingKeysWith: { $1 })
        passwordAt = try row("password_at")
        let (methods, time): ([String], Date?) = (try row("methods"), try row("authenticated_at"))
        authentication = AuthenticationContext(methods: methods, time: time ?? createdAt)
    }
}
