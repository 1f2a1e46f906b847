import Base
import Database
import Foundation
import Vocabulary

/// A person's login in one browser: what single sign-on over all applications is made of.
public struct BrowserSession: Sendable {
    /// `sid` (OpenID Connect Front-Channel Logout, 3): name of the node `session:ID`, no secret.
    public let id: String
    public let account: Account
    /// Epoch, account, session, and the password where one began it: what is issued in it hangs below.
    public let lineage: [NodeID]
    /// What was shown in it, and when.
    public let history: AuthenticationHistory
    /// User-Agent of the browser that logged in.
    public let device: String?
    public let origin: String?
    public let createdAt: Date
    public let lastSeen: Date
    public let expiresAt: Date

    static let columns: SQL = """
        s.id as sid, s.lineage, s.device, s.origin, s.created_at as session_created_at, s.last_seen, s.expires_at,
        shown.times, shown.methods, shown.factors
        """

    /// The session `s` with its account `a`, and of each kind of answer the latest: older ones of the same kind change
    /// nothing.
    static let source: SQL = """
        browser_session s join account a on a.id = s.account cross join lateral (
            select coalesce(array_agg(e.at), '{}') as times, coalesce(array_agg(array_to_string(e.methods, ' ')),
                '{}') as methods,
                   coalesce(array_agg(coalesce(e.factor, '')), '{}') as factors
            from (select max(e.at) as at, e.methods, e.factor from authentication_event e where e.session = s.id
                group by e.methods, e.factor) e
        ) shown
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, lineage, device, origin) = (try row("sid"), try row("lineage"), try row("device"), try row("origin"))
        (createdAt, lastSeen, expiresAt) = (try row("session_created_at"), try row("last_seen"), try row("expires_at"))
        account = try Account(row)
        let (times, methods, factors): ([Date], [String], [String]) = (
            try row("times"), try row("methods"), try row("factors")
        )
        history = AuthenticationHistory(
            times.indices.map { index in
                AuthenticationHistory.Event(
                    at: times[index], methods: methods[index].split(separator: " ").map(String.init),
                    factor: factors[index].isEmpty ? nil : factors[index])
            }, began: createdAt)
    }

    /// What something that outlives the session hangs below: epoch, account, what comes in with it, and the password
    /// where one began the session. The third node is what services take for its anchor.
    public func lineageOutliving(_ added: [NodeID]) -> [NodeID] { lineage.prefix(2) + added + lineage.dropFirst(3) }
}
